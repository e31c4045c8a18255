// What goes into a column comes out of it, or is refused: never changed.
#include <cmath>
#include <limits>

#include "tests/unit/sqlite/sqlite_fixture.hpp"

using namespace xasink;
using xasink::test::batch_of;
using xasink::test::contains;
using xasink::test::load;
using xasink::test::sqlite_xid;
using xasink::test::SqliteFixture;

namespace {

struct ValuesFixture : SqliteFixture {
  /// Makes t with one column of the declared type and loads the value as `type`. \returns "typeof|value" of what is
  /// stored
  std::string stored(const std::string& declared, const ColumnType& type, const std::string& text,
                     const std::string& suffix = "") {
    sql("DROP TABLE IF EXISTS t; CREATE TABLE t (v " + declared + ")" + suffix);
    const auto schema = std::make_shared<const TableSchema>(TableSchema{"t", {{"v", type, true}}});
    return stored(batch_of(schema, {{text}}));
  }
  std::string stored(const RowBatch& batch) {
    const RowCheck check = driver->row_check(url, batch.schema());
    REQUIRE(check);
    check(batch);
    const auto session = driver->connect(url);
    session->ensure_bookkeeping();
    load(*session, batch, sqlite_xid(++checkpoint_));
    return value(
        "SELECT typeof(v) || '|' || CASE typeof(v) WHEN 'blob' THEN hex(v) WHEN 'real' THEN printf('%!.17g', v) ELSE v "
        "END FROM t");
  }

  /// The refusal by the check that comes before a branch is spooled, after seeing that a session refuses the same.
  std::string refused(const std::string& declared, const ColumnType& type, const std::string& text) {
    sql("DROP TABLE IF EXISTS t; CREATE TABLE t (v " + declared + ")");
    const auto schema = std::make_shared<const TableSchema>(TableSchema{"t", {{"v", type, true}}});
    return refused(batch_of(schema, {{text}}));
  }
  std::string refused(const RowBatch& batch) {
    const auto session = driver->connect(url);
    session->begin(sqlite_xid());
    CHECK_THROWS_AS(session->write(batch), DataError);
    session->rollback();
    try {
      driver->row_check(url, batch.schema())(batch);
    } catch (const DataError& error) {
      CHECK(error.origin().line == 1);
      CHECK(error.origin().column == "v");
      return error.what();
    }
    return "taken";
  }

 private:
  std::uint64_t checkpoint_ = 0;
};

RowBatch one(const ColumnType& type, const std::function<void(RowBatch&)>& append) {
  RowBatch batch(std::make_shared<const TableSchema>(TableSchema{"t", {{"v", type, true}}}));
  batch.set_file(std::make_shared<const std::string>("in.csv"));
  append(batch);
  batch.end_row(1);
  return batch;
}

}  // namespace

TEST_CASE_METHOD(ValuesFixture, "integers, doubles, booleans and bytes are stored as themselves") {
  CHECK(stored("INTEGER", {TypeKind::int64}, "-9223372036854775808") == "integer|-9223372036854775808");
  CHECK(stored("uint64", {TypeKind::uint64}, "9223372036854775807") == "integer|9223372036854775807");
  CHECK(stored("REAL", {TypeKind::float64}, "0.1") == "real|0.10000000000000001");
  CHECK(stored("REAL", {TypeKind::int64}, "9007199254740992") == "real|9007199254740992.0");
  CHECK(stored("boolean", {TypeKind::boolean}, "true") == "integer|1");
  CHECK(stored("BLOB", {TypeKind::bytes}, "\\x00ff") == "blob|00FF");
  CHECK(stored("BLOB", {TypeKind::bytes}, "\\x") == "blob|");
  CHECK(stored("varbinary(4)", {TypeKind::bytes}, "\\x31") == "blob|31");
}

TEST_CASE_METHOD(ValuesFixture, "a NULL key is refused: SQLite would store a number of its own choice, or the NULL") {
  const auto null = [] { return one({TypeKind::int64}, [](RowBatch& batch) { batch.append_null(); }); };
  for (const char* declared :
       {"INTEGER PRIMARY KEY", "INTEGER PRIMARY KEY NOT NULL", "INT PRIMARY KEY", "INT NOT NULL"}) {
    INFO(declared);
    sql(std::string("DROP TABLE IF EXISTS t; CREATE TABLE t (v ") + declared + ")");
    CHECK_THAT(refused(null()), contains("in.csv:1: column v of table t: NULL is not taken"));
  }
  sql("DROP TABLE t; CREATE TABLE t (v INT)");
  const auto session = driver->connect(url);
  session->ensure_bookkeeping();
  load(*session, null(), sqlite_xid(100));
  CHECK(value("SELECT typeof(v) FROM t") == "null");
}

TEST_CASE_METHOD(ValuesFixture, "unsigned integers beyond SQLite's signed ones are refused") {
  CHECK_THAT(refused("uint64", {TypeKind::uint64}, "9223372036854775808"),
             contains("in.csv:1: column v of table t: 9223372036854775808") && contains("signed"));
  CHECK_THAT(refused("REAL", {TypeKind::uint64}, "18446744073709551615"), contains("affinity"));
  CHECK_THAT(refused("REAL", {TypeKind::int64}, "9007199254740993"), contains("affinity"));
}

TEST_CASE_METHOD(ValuesFixture, "what is no number is refused, since SQLite would store NULL, and infinity is kept") {
  const auto number = [](double value) {
    return one({TypeKind::float64}, [&](RowBatch& batch) { batch.append_double(value); });
  };
  sql("CREATE TABLE t (v REAL)");
  CHECK_THAT(refused(number(std::numeric_limits<double>::quiet_NaN())), contains("not a number"));
  CHECK(stored(number(-std::numeric_limits<double>::infinity())) == "real|-Inf");
}

TEST_CASE_METHOD(ValuesFixture, "decimals keep every digit in a TEXT column") {
  CHECK(stored("decimal_text(38,10)", {TypeKind::decimal, 38, 10}, "1234567890123456789012345678.0123456789") ==
        "text|1234567890123456789012345678.0123456789");
  CHECK(stored("TEXT", {TypeKind::decimal}, "-0.10") == "text|-0.10");
  CHECK(stored("", {TypeKind::decimal}, "12.50") == "text|12.50");
}

TEST_CASE_METHOD(ValuesFixture,
                 "decimals in a NUMERIC column are kept up to 15 digits, or as 64-bit integers, else refused") {
  CHECK(stored("NUMERIC", {TypeKind::decimal}, "1234567890123.45") == "real|1234567890123.45");
  CHECK(stored("NUMERIC", {TypeKind::decimal}, "9223372036854775807") == "integer|9223372036854775807");
  CHECK(stored("NUMERIC", {TypeKind::decimal}, "-9223372036854775808") == "integer|-9223372036854775808");
  CHECK(stored("NUMERIC", {TypeKind::decimal}, "0.0000152587890625") == "real|1.52587890625e-05");
  CHECK_THAT(refused("NUMERIC", {TypeKind::decimal}, "12345678901234.56"),
             contains("affinity") && contains("decimal_text"));
  CHECK_THAT(refused("NUMERIC", {TypeKind::decimal}, "9223372036854775808"), contains("affinity"));
  CHECK_THAT(refused("INTEGER", {TypeKind::decimal}, "-9223372036854775809"), contains("affinity"));
  CHECK_THAT(refused("NUMERIC", {TypeKind::decimal}, "1" + std::string(40, '0')), contains("affinity"));
  CHECK_THAT(refused("NUMERIC", {TypeKind::decimal}, "0." + std::string(320, '0') + "1"), contains("affinity"));
  CHECK_THAT(refused("REAL", {TypeKind::decimal}, "1234567890123456"), contains("affinity"));
  CHECK(stored("REAL", {TypeKind::decimal}, "123456789012345") == "real|123456789012345.0");
}

TEST_CASE_METHOD(ValuesFixture, "every decimal of 15 digits comes back from a NUMERIC column with the same 15 digits") {
  sql("CREATE TABLE t (v NUMERIC)");
  const auto schema = std::make_shared<const TableSchema>(TableSchema{"t", {{"v", {TypeKind::decimal}, true}}});
  RowBatch batch(schema);
  std::vector<std::string> texts;
  std::uint64_t state = 42;
  for (int i = 0; i < 3000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    std::string digits = std::to_string(100'000'000'000'000ULL + (state >> 11) % 899'999'999'999'999ULL);
    digits.insert(static_cast<std::size_t>(1 + i % 14), ".");
    if (digits.back() == '0') digits.back() = '7';
    texts.push_back(digits);
    batch.append_bytes(digits);
    batch.end_row();
  }
  const auto session = driver->connect(url);
  session->ensure_bookkeeping();
  load(*session, batch, sqlite_xid());
  const auto rows = sql("SELECT printf('%.15g', v) FROM t ORDER BY rowid");
  REQUIRE(rows.size() == texts.size());
  for (std::size_t i = 0; i < rows.size(); ++i) REQUIRE(rows[i][0] == texts[i]);
}

TEST_CASE_METHOD(ValuesFixture, "texts are kept as they are, an empty one is not NULL, a zero byte is refused") {
  CHECK(stored("TEXT", {TypeKind::text}, "007") == "text|007");
  CHECK(stored("TEXT", {TypeKind::text}, "") == "text|");
  CHECK(stored("", {TypeKind::text}, "1.50") == "text|1.50");
  CHECK(stored("json_text", {TypeKind::json}, "1.50") == "text|1.50");
  CHECK(stored("ANY", {TypeKind::text}, "1.50", " STRICT") == "text|1.50");
  sql("DROP TABLE t; CREATE TABLE t (v TEXT)");
  CHECK_THAT(refused(one({TypeKind::text},
                         [](RowBatch& batch) {
                           batch.append_bytes({"a\0b", 3});
                         })),
             contains("zero byte"));
}

TEST_CASE_METHOD(ValuesFixture,
                 "a JSON number is refused where the column's affinity would rewrite it, other JSON is kept") {
  CHECK(stored("json", {TypeKind::json}, R"({"a": 1.50})") == R"(text|{"a": 1.50})");
  CHECK(stored("json", {TypeKind::json}, "true") == "text|true");
  for (const char* number : {"1.50", "1e5", "-0", " 12 "}) {
    INFO(number);
    CHECK_THAT(refused("json", {TypeKind::json}, number), contains("looks like a number"));
  }
}

TEST_CASE_METHOD(ValuesFixture, "dates and times are ISO text that SQLite's own functions read") {
  CHECK(stored("date", {TypeKind::date}, "0001-01-01") == "text|0001-01-01");
  CHECK(stored("date", {TypeKind::date}, "9999-12-31") == "text|9999-12-31");
  CHECK(stored("time", {TypeKind::time}, "23:59:59.999999") == "text|23:59:59.999999");
  CHECK(stored("timestamp", {TypeKind::timestamp}, "2024-02-29 12:00:00") == "text|2024-02-29 12:00:00.000000");
  CHECK(stored("timestamptz", {TypeKind::timestamptz}, "2024-02-29 12:00:00+02:00") ==
        "text|2024-02-29 10:00:00.000000+00:00");
  CHECK(value("SELECT unixepoch(v) FROM t") == "1709200800");
  CHECK(stored("uuid", {TypeKind::uuid}, "00112233-4455-6677-8899-aabbccddeeff") ==
        "text|00112233-4455-6677-8899-aabbccddeeff");
}

TEST_CASE_METHOD(ValuesFixture, "dates outside of the calendar are refused") {
  sql("CREATE TABLE t (v)");
  CHECK_THAT(refused(one({TypeKind::date}, [](RowBatch& batch) { batch.append_int(1'000'000'000); })),
             contains("years"));
  CHECK_THAT(refused(one({TypeKind::timestamptz},
                         [](RowBatch& batch) { batch.append_int(std::numeric_limits<std::int64_t>::min()); })),
             contains("years"));
}

TEST_CASE_METHOD(ValuesFixture, "columns whose affinity would change every value of a type are refused for the type") {
  struct Refused {
    const char* declared;
    TypeKind kind;
  };
  const auto row = GENERATE(values<Refused>({{"STRING", TypeKind::text},
                                             {"INTEGER", TypeKind::text},
                                             {"REAL", TypeKind::json},
                                             {"NUMERIC", TypeKind::text},
                                             {"TEXT", TypeKind::float64}}));
  sql(std::string("CREATE TABLE t (v ") + row.declared + ")");
  const Error error = test::error_of([&] {
    static_cast<void>(driver->row_check(url, TableSchema{"t", {{"v", {row.kind}, true}}}));
  });
  CHECK(error.category() == Category::preflight);
  CHECK_THAT(error.what(), contains("column v of table t") && contains(row.declared));
}

TEST_CASE_METHOD(ValuesFixture, "a table or column that is missing, or generated, is named") {
  CHECK_THROWS_WITH(driver->row_check(url, TableSchema{"t", {{"v", {}, true}}}), contains("no such database file"));
  sql("CREATE TABLE u (a TEXT, g TEXT AS (a))");
  CHECK_THROWS_WITH(driver->row_check(url, TableSchema{"t", {{"v", {}, true}}}), contains("no table t"));
  CHECK_THROWS_WITH(driver->row_check(url, TableSchema{"u", {{"v", {}, true}}}),
                    contains("column v of table u does not exist"));
  CHECK_THROWS_WITH(driver->row_check(url, TableSchema{"u", {{"g", {}, true}}}), contains("generated"));
}
