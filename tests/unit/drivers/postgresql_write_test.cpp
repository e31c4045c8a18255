// Every type there and back.
#include <limits>

#include "tests/unit/drivers/postgresql_fixture.hpp"

using namespace xasink;
using namespace xasink::test;

namespace {

/// Writes one row into a fresh table of these columns and reads it back as text.
std::vector<std::string> round_trip(const std::string& ddl, const std::vector<Column>& columns,
                                    const std::function<void(RowBatch&)>& fill, const std::string& prelude = "") {
  shop_query("DROP TABLE IF EXISTS trip CASCADE; " + prelude + "CREATE TABLE trip (" + ddl +
             "); GRANT ALL ON trip TO app");
  const auto session = ready_session(shop_url());
  const auto schema = std::make_shared<const TableSchema>(TableSchema{"trip", columns});
  RowBatch batch(schema);
  fill(batch);
  batch.end_row(1);
  const Xid xid = next_xid();
  session->begin(xid);
  session->write(batch);
  REQUIRE(session->write_marker(marker_of(xid, 1)));
  session->commit();
  shop_query("SET TimeZone = 'UTC'");
  std::string list;
  for (const Column& column : columns) list += (list.empty() ? "\"" : ", \"") + column.name + "\"";
  return shop_query("SET TimeZone = 'UTC'; SELECT " + list + " FROM trip").at(0);
}

using Row = std::vector<std::string>;

}  // namespace

TEST_CASE("numbers come back as they were sent") {
  CHECK(round_trip("a smallint, b integer, c bigint, d real, e double precision, f numeric, g numeric(12,2), h boolean",
                   {{"a", {.kind = TypeKind::int16}},
                    {"b", {.kind = TypeKind::int32}},
                    {"c", {.kind = TypeKind::int64}},
                    {"d", {.kind = TypeKind::float32}},
                    {"e", {.kind = TypeKind::float64}},
                    {"f", {.kind = TypeKind::decimal}},
                    {"g", {.kind = TypeKind::decimal}},
                    {"h", {.kind = TypeKind::boolean}}},
                   [](RowBatch& batch) {
                     batch.append_int(-32768);
                     batch.append_int(2147483647);
                     batch.append_int(std::numeric_limits<std::int64_t>::min());
                     batch.append_double(1.5);
                     batch.append_double(0.1);
                     batch.append_bytes("-12345678901234567890.000000000012300");
                     batch.append_bytes("9999999999.99");
                     batch.append_int(1);
                   }) == Row{"-32768", "2147483647", "-9223372036854775808", "1.5", "0.1",
                             "-12345678901234567890.000000000012300", "9999999999.99", "t"});
}

TEST_CASE("numerics of every shape come back as the same text") {
  for (const char* text : {"0", "0.00", "1", "-1", "9999", "10000", "0.0001", "0.00001", "-0.5", "9999.9999",
                           "10000.0001", "100000000", "1.50", "123456789012345678901234567890.12345678901234567890"}) {
    INFO(text);
    CHECK(round_trip("n numeric", {{"n", {.kind = TypeKind::decimal}}},
                     [&](RowBatch& batch) { batch.append_bytes(text); }) == Row{text});
  }
  const std::string longest = std::string(131'072, '7') + "." + std::string(16'383, '3');
  CHECK(round_trip("n numeric", {{"n", {.kind = TypeKind::decimal}}},
                   [&](RowBatch& batch) { batch.append_bytes(longest); }) == Row{longest});
}

TEST_CASE("integers of other widths are stored exactly") {
  CHECK(round_trip("a bigint, b numeric(20,0), c bigint, d smallint, e numeric",
                   {{"a", {.kind = TypeKind::int32}},
                    {"b", {.kind = TypeKind::uint64}},
                    {"c", {.kind = TypeKind::uint64}},
                    {"d", {.kind = TypeKind::uint8}},
                    {"e", {.kind = TypeKind::int64}}},
                   [](RowBatch& batch) {
                     batch.append_int(-7);
                     batch.append_uint(18446744073709551615U);
                     batch.append_uint(9223372036854775807U);
                     batch.append_int(255);
                     batch.append_int(-10000);
                   }) == Row{"-7", "18446744073709551615", "9223372036854775807", "255", "-10000"});
}

TEST_CASE("texts and bytes come back as they were sent") {
  CHECK(round_trip(
            "a text, b varchar(5), c char(5), d bytea, e xml, f mood, g tag",
            {{"a", {.kind = TypeKind::text}},
             {"b", {.kind = TypeKind::text}},
             {"c", {.kind = TypeKind::text}},
             {"d", {.kind = TypeKind::bytes}},
             {"e", {.kind = TypeKind::text}},
             {"f", {.kind = TypeKind::text}},
             {"g", {.kind = TypeKind::text}}},
            [](RowBatch& batch) {
              batch.append_bytes("tab\tand \\ and \xe2\x82\xac");
              batch.append_bytes("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
              batch.append_bytes("ab");
              batch.append_bytes(std::string_view("\0\x01\xff", 3));
              batch.append_bytes("<a>b</a>");
              batch.append_bytes("happy");
              batch.append_bytes("x1");
            },
            "DROP TYPE IF EXISTS mood; CREATE TYPE mood AS ENUM ('sad', 'happy'); DROP DOMAIN IF EXISTS tag; "
            "CREATE DOMAIN tag AS varchar(4) CHECK (value LIKE 'x%'); ") ==
        Row{"tab\tand \\ and \xe2\x82\xac", "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", "ab   ", "\\x0001ff",
            "<a>b</a>", "happy", "x1"});
}

TEST_CASE("dates, times, uuids and JSON come back as they were sent") {
  CHECK(round_trip("a date, b time, c timestamp, d timestamptz, e uuid, f json, g jsonb, h timestamptz(0)",
                   {{"a", {.kind = TypeKind::date}},
                    {"b", {.kind = TypeKind::time}},
                    {"c", {.kind = TypeKind::timestamp}},
                    {"d", {.kind = TypeKind::timestamptz}},
                    {"e", {.kind = TypeKind::uuid}},
                    {"f", {.kind = TypeKind::json}},
                    {"g", {.kind = TypeKind::json}},
                    {"h", {.kind = TypeKind::timestamptz}}},
                   [](RowBatch& batch) {
                     batch.append_int(0);
                     batch.append_int(86'399'999'999);
                     batch.append_int(-1);
                     batch.append_int(1'700'000'000'123'456);
                     batch.append_bytes(
                         std::string_view("\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x00", 16));
                     batch.append_bytes(R"({"b": 1,  "a": [true]})");
                     batch.append_bytes(R"({"b": 1,  "a": [true]})");
                     batch.append_int(1'700'000'000'000'000);
                   }) == Row{"1970-01-01", "23:59:59.999999", "1969-12-31 23:59:59.999999",
                             "2023-11-14 22:13:20.123456+00", "123e4567-e89b-12d3-a456-426614174000",
                             R"({"b": 1,  "a": [true]})", R"({"a": [true], "b": 1})", "2023-11-14 22:13:20+00"});
}

TEST_CASE("the first and last days the server knows are accepted by it") {
  CHECK(round_trip("a date, b date, c timestamp, d timestamp",
                   {{"a", {.kind = TypeKind::date}},
                    {"b", {.kind = TypeKind::date}},
                    {"c", {.kind = TypeKind::timestamp}},
                    {"d", {.kind = TypeKind::timestamp}}},
                   [](RowBatch& batch) {
                     batch.append_int(-2'440'588);
                     batch.append_int(2'145'042'905);
                     batch.append_int(-210'866'803'200'000'000);
                     batch.append_int(std::numeric_limits<std::int64_t>::max());
                   }) ==
        Row{"4714-11-24 BC", "5874897-12-31", "4714-11-24 00:00:00 BC", "294247-01-10 04:00:54.775807"});
}

TEST_CASE("NULL goes into every type, and columns that are not written keep their defaults") {
  shop_query(
      "DROP TABLE IF EXISTS odd; CREATE TABLE odd (\"Select\" text, id bigint GENERATED ALWAYS AS IDENTITY, "
      "n numeric, twice bigint GENERATED ALWAYS AS (7) STORED, at text DEFAULT 'now'); GRANT ALL ON odd TO app");
  const auto session = ready_session(shop_url());
  const auto schema = std::make_shared<const TableSchema>(
      TableSchema{"odd", {{"n", {.kind = TypeKind::decimal}}, {"Select", {.kind = TypeKind::text}}}});
  RowBatch batch(schema);
  batch.append_null();
  batch.append_null();
  batch.end_row();
  const Xid xid = next_xid();
  session->begin(xid);
  session->write(batch);
  REQUIRE(session->write_marker(marker_of(xid, 1)));
  session->commit();
  CHECK(shop_query("SELECT * FROM odd") == PrivatePostgres::Rows{{"\\N", "1", "\\N", "7", "now"}});
}

TEST_CASE("rows go through a partitioned table, and an error there still names its line") {
  shop_query(
      "DROP TABLE IF EXISTS parts; CREATE TABLE parts (id bigint PRIMARY KEY) PARTITION BY RANGE (id); "
      "CREATE TABLE parts_a PARTITION OF parts FOR VALUES FROM (0) TO (100); GRANT ALL ON parts TO app");
  const auto session = ready_session(shop_url());
  const auto schema = id_schema("parts");
  const auto write = [&](std::int64_t first, std::int64_t count) {
    const Xid xid = next_xid();
    session->begin(xid);
    session->write(id_batch(schema, first, count));
    static_cast<void>(session->write_marker(marker_of(xid, static_cast<std::uint64_t>(count))));
  };
  write(0, 50);
  session->commit();
  CHECK(shop_value("SELECT count(*) FROM parts_a") == "50");
  const DataError none = data_error_of([&] { write(98, 4); });  // 100 has no partition
  CHECK(none.origin().line == 4);
  session->rollback();
}

TEST_CASE("batches of two schemas in one branch are refused") {
  shop_query("CREATE TABLE IF NOT EXISTS twofold (id bigint, other bigint); GRANT ALL ON twofold TO app");
  const auto session = ready_session(shop_url());
  const auto other =
      std::make_shared<const TableSchema>(TableSchema{"twofold", {{"other", {.kind = TypeKind::int64}, false}}});
  session->begin(next_xid());
  session->write(id_batch(id_schema("twofold"), 1, 1));
  CHECK_THROWS_WITH(session->write(id_batch(other, 1, 1)), contains("one schema"));
  session->rollback();
  CHECK(session->usable());
}
