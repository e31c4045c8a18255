// Every column type through a branch and back, as the database shows it.
#include "schema/format_value.hpp"
#include "schema/parse_value.hpp"
#include "tests/conformance/bench.hpp"

using namespace xasink;
using namespace xasink::test;

namespace {

/// The value in the one form that append_value writes; two texts of equal values become equal.
std::string canonical(const Column& column, const std::string& text) {
  RowBatch batch(std::make_shared<const TableSchema>(TableSchema{"t", {column}}));
  const std::string refusal = schema::append_text(batch, column, text);
  if (!refusal.empty()) return "'" + text + "' " + refusal;
  std::string out;
  schema::append_value(out, batch, column.type, *batch.cells().data());
  return out;
}

/// Makes a table of `columns` behind an id, loads the rows by the catalog's own description of it, reads them back and
/// compares.
void round_trip(const DriverUnderTest& dut, std::vector<Column> columns, const std::vector<TextRow>& rows) {
  const Bench bench(dut);
  columns.insert(columns.begin(), Column{"id", {TypeKind::int64}, false});
  const auto catalog = bench.target->driver().open_catalog(bench.target->url());
  const std::string table = fresh_name("typed");
  catalog->create_table({table, columns}, {"id"});
  auto described = catalog->describe(table);
  REQUIRE(described);
  const auto schema = std::make_shared<const TableSchema>(std::move(*described));
  REQUIRE(schema->columns.size() == columns.size());

  RowBatch batch(schema);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    batch.append_int(static_cast<std::int64_t>(row));
    for (std::size_t i = 0; i < rows[row].size(); ++i) {
      const Column& column = schema->columns[i + 1];
      INFO(column.name << " " << to_string(column.type) << " " << rows[row][i].value_or("NULL"));
      CHECK(column.name == columns[i + 1].name);
      if (rows[row][i])
        REQUIRE(schema::append_text(batch, column, *rows[row][i]) == "");
      else
        batch.append_null();
    }
    batch.end_row(row + 1);
  }
  const auto writer = bench.resource->open_writer();
  writer->begin(bench.xid(1));
  writer->write(batch);
  writer->prepare({bench.xid(1), batch.rows(), batch.bytes()});
  REQUIRE(bench.resource->open_finisher()
              ->commit({bench.resource->protocol(), bench.resource->name(), table, bench.xid(1), batch.rows(),
                        batch.bytes(), writer->spool()})
              .outcome == FinishOutcome::done);

  const std::vector<TextRow> read = bench.target->read(*schema);
  REQUIRE(read.size() == rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < rows[row].size(); ++i) {
      const Column& column = schema->columns[i + 1];
      const auto& got = read[row][i + 1];
      INFO("row " << row << ", column " << column.name << " " << to_string(column.type));
      REQUIRE(got.has_value() == rows[row][i].has_value());
      if (got) CHECK(canonical(column, *got) == canonical(column, *rows[row][i]));
    }
  }
}

}  // namespace

TEST_CASE("numbers come back as they were, at their bounds and as NULL") {
  XASINK_FOR_EACH_DRIVER(dut) {
    round_trip(dut,
               {{"a", {TypeKind::int8}, true},
                {"b", {TypeKind::int16}, true},
                {"c", {TypeKind::int32}, true},
                {"d", {TypeKind::int64}, true},
                {"e", {TypeKind::uint8}, true},
                {"f", {TypeKind::uint16}, true},
                {"g", {TypeKind::uint32}, true},
                {"h", {TypeKind::uint64}, true}},
               {{"-128", "-32768", "-2147483648", "-9223372036854775808", "0", "0", "0", "0"},
                {"127", "32767", "2147483647", "9223372036854775807", "255", "65535", "4294967295", dut.most_unsigned},
                {std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                 std::nullopt},
                {"0", "0", "0", "0", "1", "1", "1", "1"}});
  }
}

TEST_CASE("fractions come back with every digit") {
  XASINK_FOR_EACH_DRIVER(dut) {
    round_trip(
        dut,
        {{"a", {TypeKind::float32}, true},
         {"b", {TypeKind::float64}, true},
         {"c", {TypeKind::decimal, 12, 2}, true},
         {"d", {TypeKind::decimal, 38, 10}, true},
         {"e", {TypeKind::decimal}, true}},
        {{"1.5", "0.1", "9999999999.99", "1234567890123456789012345678.0123456789", "0.00000000000000000001"},
         {"-0.0000152587890625", "-1.7976931348623157e308", "-0.01", "-0.0000000001", "123456789012345678901234567890"},
         {"16777216", "5e-324", "0.00", "0.0000000000", "0"},
         {std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt},
         {"0", "3", "10.00", "5.0000000000", "-12.345678901234567890"}});
  }
}

TEST_CASE("texts and bytes come back as they were: empty is not NULL, and no character is special") {
  XASINK_FOR_EACH_DRIVER(dut) {
    round_trip(dut,
               {{"a", {TypeKind::text}, true}, {"b", {TypeKind::text, 0, 0, 10}, true}, {"c", {TypeKind::bytes}, true}},
               {{"", "", "\\x"},
                {std::nullopt, std::nullopt, std::nullopt},
                {"007", "1e5", "\\x00"},
                {"tab\tline\nreturn\rquote'\"back\\slash", "\xc3\xa4\xf0\x9f\x98\x80\xe2\x82\xac", "\\x00ff5c0a09"},
                {"NULL", "null", "\\x4e554c4c"},
                {std::string(100'000, 'x'), "0123456789", "\\x" + std::string(200'000, 'a')},
                {" leading and trailing ", " ", "\\x20"}});
  }
}

TEST_CASE("booleans, dates, times, UUIDs and JSON come back as they were") {
  XASINK_FOR_EACH_DRIVER(dut) {
    round_trip(dut,
               {{"a", {TypeKind::boolean}, true},
                {"b", {TypeKind::date}, true},
                {"c", {TypeKind::time}, true},
                {"d", {TypeKind::timestamp}, true},
                {"e", {TypeKind::timestamptz}, true},
                {"f", {TypeKind::uuid}, true},
                {"g", {TypeKind::json}, true}},
               {{"true", "2024-02-29", "23:59:59.999999", "2024-02-29 12:00:00.000001", "2024-02-29 23:30:00-05:30",
                 "00112233-4455-6677-8899-aabbccddeeff", R"({"a": [1, 2.5, null, "x"]})"},
                {"false", "0001-01-01", "00:00:00", "0001-01-01 00:00:00", "0001-01-02 00:00:00+00:00",
                 "00000000-0000-0000-0000-000000000000", "12.50"},
                {std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt},
                {"true", "9999-12-31", "12:00:00.5", "9999-12-31 23:59:59.999999", "9999-12-31 00:00:00+00:00",
                 "ffffffff-ffff-ffff-ffff-ffffffffffff", R"("text")"}});
  }
}

TEST_CASE("a table of odd names is made, described, loaded and read") {
  XASINK_FOR_EACH_DRIVER(dut) {
    round_trip(dut,
               {{"select", {TypeKind::text}, true},
                {"Mixed Case", {TypeKind::text}, true},
                {"q\"uote", {TypeKind::text}, true}},
               {{"a", "b", "c"}});
  }
}
