#include "drivers/postgresql/copy_encoder.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"
#include "xasink/error.hpp"

using namespace xasink;
using namespace xasink::postgresql;
using xasink::test::contains;

namespace {

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

TargetColumn target_column(WireForm form) {
  TargetColumn column;
  column.name = "c";
  column.type = "the type";
  column.form = form;
  return column;
}

/// One row of one column.
class OneCell {
 public:
  OneCell(TypeKind kind, TargetColumn column)
      : schema_(std::make_shared<const TableSchema>(TableSchema{"t", {{"c", {.kind = kind}, true}}})), batch_(schema_) {
    target_.qualified = "public.t";
    target_.columns.push_back(std::move(column));
    batch_.set_file(std::make_shared<const std::string>("rows.csv"));
  }
  OneCell(TypeKind kind, WireForm form) : OneCell(kind, target_column(form)) {}

  RowBatch& batch() { return batch_; }
  /// Length and value of the one cell; the count of columns in front is checked and left out.
  std::string encoded() {
    batch_.end_row(17);
    CopyEncoder encoder(*schema_, target_);
    const std::size_t next = encoder.encode(batch_, 0);  // may throw; then no assertion is to see it
    REQUIRE(next == 1);
    const std::string bytes = hex(encoder.bytes());
    REQUIRE(bytes.substr(0, 4) == "0001");
    return bytes.substr(4);
  }

 private:
  std::shared_ptr<const TableSchema> schema_;
  RowBatch batch_;
  TargetTable target_;
};

std::string of_int(TypeKind kind, WireForm form, std::int64_t value) {
  OneCell cell(kind, form);
  cell.batch().append_int(value);
  return cell.encoded();
}

std::string of_bytes(TypeKind kind, TargetColumn column, std::string_view value) {
  OneCell cell(kind, std::move(column));
  cell.batch().append_bytes(value);
  return cell.encoded();
}

std::string of_double(TypeKind kind, WireForm form, double value) {
  OneCell cell(kind, form);
  cell.batch().append_double(value);
  return cell.encoded();
}

}  // namespace

TEST_CASE("header and trailer frame the rows as COPY wants them") {
  TargetTable target;
  target.columns.push_back(target_column(WireForm::int4));
  CopyEncoder encoder(TableSchema{"t", {{"c", {.kind = TypeKind::int32}, true}}}, target);
  encoder.header();
  CHECK(hex(encoder.bytes()) ==
        "5047434f50590aff0d0a00"
        "00000000"
        "00000000");
  encoder.clear();
  encoder.trailer();
  CHECK(hex(encoder.bytes()) == "ffff");
}

TEST_CASE("values of fixed size have PostgreSQL's bytes") {
  CHECK(of_int(TypeKind::boolean, WireForm::boolean, 1) == "0000000101");
  CHECK(of_int(TypeKind::boolean, WireForm::boolean, 0) == "0000000100");
  CHECK(of_int(TypeKind::int16, WireForm::int2, -2) == "00000002fffe");
  CHECK(of_int(TypeKind::int32, WireForm::int4, 258) == "0000000400000102");
  CHECK(of_int(TypeKind::int64, WireForm::int8, -1) == "00000008ffffffffffffffff");
  CHECK(of_double(TypeKind::float32, WireForm::float4, 1.5) == "000000043fc00000");
  CHECK(of_double(TypeKind::float64, WireForm::float8, -0.5) == "00000008bfe0000000000000");
  CHECK(of_int(TypeKind::date, WireForm::date, 10957) == "0000000400000000");
  CHECK(of_int(TypeKind::date, WireForm::date, 0) == "00000004ffffd533");
  CHECK(of_int(TypeKind::time, WireForm::time, 86'399'999'999) == "00000008000000141dd75fff");
  CHECK(of_int(TypeKind::timestamp, WireForm::timestamp, 946'684'800'000'001) == "000000080000000000000001");
  CHECK(of_int(TypeKind::timestamptz, WireForm::timestamptz, 946'684'799'999'999) == "00000008ffffffffffffffff");
}

TEST_CASE("values of variable size have PostgreSQL's bytes") {
  CHECK(of_bytes(TypeKind::text, target_column(WireForm::text), "h\xc3\xa9") == "0000000368c3a9");
  CHECK(of_bytes(TypeKind::text, target_column(WireForm::text), "") == "00000000");
  CHECK(of_bytes(TypeKind::bytes, target_column(WireForm::bytea), std::string_view("\0\xff", 2)) == "0000000200ff");
  CHECK(of_bytes(TypeKind::json, target_column(WireForm::json), "{}") == "000000027b7d");
  CHECK(of_bytes(TypeKind::json, target_column(WireForm::jsonb), "{}") == "00000003017b7d");
  CHECK(of_bytes(TypeKind::uuid, target_column(WireForm::uuid), "0123456789abcdef") ==
        "00000010"
        "30313233343536373839616263646566");
  CHECK(of_bytes(TypeKind::decimal, target_column(WireForm::numeric), "-1.5") ==
        "0000000c"
        "000200004000000100011388");
}

TEST_CASE("a NULL is a length of -1") {
  OneCell cell(TypeKind::text, WireForm::text);
  cell.batch().append_null();
  CHECK(cell.encoded() == "ffffffff");
}

TEST_CASE("integers go into wider and narrower types as long as the value fits") {
  CHECK(of_int(TypeKind::int8, WireForm::int8, -1) == "00000008ffffffffffffffff");
  CHECK(of_int(TypeKind::int64, WireForm::int2, 32767) == "000000027fff");
  CHECK(of_int(TypeKind::uint32, WireForm::int8, 4294967295) == "0000000800000000ffffffff");
  CHECK(of_int(TypeKind::int32, WireForm::numeric, -10000) ==
        "0000000a"
        "00010001400000000001");
  CHECK_THROWS_AS(of_int(TypeKind::int64, WireForm::int2, 32768), DataError);
  CHECK_THROWS_AS(of_int(TypeKind::int64, WireForm::int4, -2147483649), DataError);
}

TEST_CASE("uint64 goes into numeric in full and into bigint up to its end") {
  const auto of_uint = [](WireForm form, std::uint64_t value) {
    OneCell cell(TypeKind::uint64, form);
    cell.batch().append_uint(value);
    return cell.encoded();
  };
  CHECK(of_uint(WireForm::int8, 9223372036854775807U) == "000000087fffffffffffffff");
  CHECK_THROWS_AS(of_uint(WireForm::int8, 9223372036854775808U), DataError);
  CHECK_THROWS_AS(of_uint(WireForm::int4, 9223372036854775808U), DataError);
  CHECK(of_uint(WireForm::numeric, 18446744073709551615U) ==
        "00000012"
        "0005000400000000"
        "0734"
        "1a58"
        "02e1"
        "03bb"
        "064f");
}

TEST_CASE("what the server would round or cut without a word is refused") {
  auto money = target_column(WireForm::numeric);
  money.precision = 12;
  money.scale = 2;
  CHECK(of_bytes(TypeKind::decimal, money, "1.50") ==
        "0000000c"
        "000200000000000200011388");
  CHECK(of_bytes(TypeKind::decimal, money, "1.500") ==
        "0000000c"
        "000200000000000300011388");
  CHECK_THROWS_WITH(of_bytes(TypeKind::decimal, money, "1.005"), contains("digits after the point"));
  CHECK_THROWS_WITH(of_bytes(TypeKind::decimal, money, "10000000000.00"), contains("digits before the point"));
  auto fraction = target_column(WireForm::numeric);
  fraction.precision = 2;
  fraction.scale = 2;
  CHECK(of_bytes(TypeKind::decimal, fraction, "0.25") ==
        "0000000a"
        "0001ffff0000000209c4");
  auto code = target_column(WireForm::text);
  code.max_length = 3;
  CHECK(of_bytes(TypeKind::text, code, "\xc3\xa9\xc3\xa9\xc3\xa9") == "00000006c3a9c3a9c3a9");
  CHECK_THROWS_WITH(of_bytes(TypeKind::text, code, "abc "), contains("longer than the column's 3 characters"));
  auto seconds = target_column(WireForm::timestamptz);
  seconds.fraction = 0;
  OneCell whole(TypeKind::timestamptz, seconds);
  whole.batch().append_int(-1'000'000);
  CHECK(whole.encoded() == "00000008fffca2fec4b8ddc0");
  OneCell broken(TypeKind::timestamptz, seconds);
  broken.batch().append_int(-1'000'001);
  CHECK_THROWS_WITH(broken.encoded(), contains("digits of a second"));
  CHECK_THROWS_AS(of_double(TypeKind::float64, WireForm::float4, 0.1), DataError);
  CHECK_THROWS_AS(of_double(TypeKind::float64, WireForm::float4, 1e300), DataError);
  CHECK(of_double(TypeKind::float64, WireForm::float4, std::numeric_limits<double>::infinity()) == "000000047f800000");
}

TEST_CASE("dates and timestamps the server doesn't know are refused, among them its codes for infinity") {
  CHECK(of_int(TypeKind::date, WireForm::date, -2'440'588) == "00000004ffda97a7");
  CHECK_THROWS_AS(of_int(TypeKind::date, WireForm::date, -2'440'589), DataError);
  CHECK_THROWS_AS(of_int(TypeKind::date, WireForm::date, std::numeric_limits<std::int32_t>::max()), DataError);
  CHECK_THROWS_AS(of_int(TypeKind::timestamp, WireForm::timestamp, std::numeric_limits<std::int64_t>::min()),
                  DataError);
  CHECK(of_int(TypeKind::timestamp, WireForm::timestamp, -210'866'803'200'000'000) == "00000008fd0f7cc1411fa000");
}

TEST_CASE("numerics with too many digits are refused before they could wrap around") {
  const auto numeric = target_column(WireForm::numeric);
  CHECK_THROWS_WITH(of_bytes(TypeKind::decimal, numeric, std::string(131'073, '9')), contains("more digits"));
  CHECK_THROWS_AS(of_bytes(TypeKind::decimal, numeric, "0." + std::string(16'383, '0') + "1"), DataError);
}

TEST_CASE("a refused value is named with file, line, column and itself") {
  try {
    of_int(TypeKind::int64, WireForm::int2, 40'000);
    FAIL("no error");
  } catch (const DataError& error) {
    CHECK(error.category() == Category::data);
    CHECK_FALSE(error.retryable());
    CHECK(error.details().session_usable);
    CHECK(error.origin().file == "rows.csv");
    CHECK(error.origin().line == 17);
    CHECK(error.origin().column == "c");
    CHECK(error.origin().value == "40000");
    CHECK_THAT(error.what(), contains("rows.csv:17: public.t, column c: 40000 is outside the range"));
  }
}

TEST_CASE("a column that can't be sent is refused by name and type before any row") {
  const auto make = [](TypeKind kind, TargetColumn column) {
    TargetTable target;
    target.qualified = "public.t";
    target.columns.push_back(std::move(column));
    CopyEncoder encoder(TableSchema{"t", {{"c", {.kind = kind}, true}}}, target);
  };
  auto array = target_column(WireForm::text);
  array.form.reset();
  array.type = "integer[]";
  auto generated = target_column(WireForm::int8);
  generated.writable = false;
  auto other = target_column(WireForm::int8);
  other.name = "d";
  CHECK_THROWS_WITH(make(TypeKind::text, array), contains("column c is of type integer[]"));
  CHECK_THROWS_WITH(make(TypeKind::int64, generated), contains("makes its own values"));
  CHECK_THROWS_WITH(make(TypeKind::int64, other), contains("has no column c"));
  CHECK_THROWS_WITH(make(TypeKind::text, target_column(WireForm::uuid)), contains("takes no text"));
  CHECK_THROWS_WITH(make(TypeKind::timestamp, target_column(WireForm::timestamptz)), contains("takes no timestamp"));
}

TEST_CASE("a large batch comes in pieces that join to the same bytes, whatever the sizes of its values") {
  const auto schema = std::make_shared<const TableSchema>(
      TableSchema{"t", {{"c", {.kind = TypeKind::text}, true}, {"n", {.kind = TypeKind::int64}, true}}});
  TargetTable target;
  target.columns = {target_column(WireForm::text), target_column(WireForm::int8)};
  target.columns[1].name = "n";
  RowBatch batch(schema);
  std::string expected;
  for (std::uint64_t row = 0; row < 3'000; ++row) {
    const std::string text(row % 1'000 == 999 ? 300'000 : row % 97, 'x');
    batch.append_bytes(text);
    batch.append_int(1);
    batch.end_row();
    const auto size = text.size();
    expected += std::string("\0\2\0", 3);
    expected += static_cast<char>(size >> 16);
    expected += static_cast<char>(size >> 8);
    expected += static_cast<char>(size);
    expected += text + std::string("\0\0\0\x08\0\0\0\0\0\0\0\1", 12);
  }
  CopyEncoder encoder(*schema, target);
  std::string joined;
  int pieces = 0;
  for (std::size_t row = 0; row < batch.rows(); ++pieces) {
    row = encoder.encode(batch, row);
    joined += encoder.bytes();
    encoder.clear();
  }
  CHECK(pieces >= 3);
  CHECK(joined == expected);
}
