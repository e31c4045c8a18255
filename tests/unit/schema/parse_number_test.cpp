#include <cmath>
#include <limits>

#include "one_value.hpp"
#include "tests/support/catch.hpp"

namespace xasink::test {
namespace {

TEST_CASE("integers are taken up to both ends of their kind and refused one further") {
  struct Row {
    const char* type;
    const char* lowest;
    const char* highest;
    const char* below;
    const char* above;
  };
  for (const auto& [type, lowest, highest, below, above] : std::initializer_list<Row>{
           {"int8", "-128", "127", "-129", "128"},
           {"int16", "-32768", "32767", "-32769", "32768"},
           {"int32", "-2147483648", "2147483647", "-2147483649", "2147483648"},
           {"int64", "-9223372036854775808", "9223372036854775807", "-9223372036854775809", "9223372036854775808"},
           {"uint8", "0", "255", "-1", "256"},
           {"uint16", "0", "65535", "-1", "65536"},
           {"uint32", "0", "4294967295", "-1", "4294967296"},
           {"uint64", "0", "18446744073709551615", "-1", "18446744073709551616"},
       }) {
    OneValue value(type);
    CAPTURE(type);
    CHECK(value.again(lowest) == lowest);
    CHECK(value.again(highest) == highest);
    const std::string reason = "is out of range for " + std::string(type) + " (" + lowest + " to " + highest + ")";
    CHECK(value.take(below) == reason);
    CHECK(value.take(above) == reason);
    CHECK(value.take("99999999999999999999999999999999") == reason);
    CHECK(value.take("-99999999999999999999999999999999") == reason);
  }
}

TEST_CASE("an integer may have a sign and zeros in front") {
  OneValue value("bigint");
  CHECK(value.cell("007").i == 7);
  CHECK(value.cell("+7").i == 7);
  CHECK(value.cell("-0").i == 0);
  CHECK(value.cell("-007").i == -7);
  CHECK(value.cell("0000000000000000000000000000000000000042").i == 42);
  CHECK(value.cell("-00000000000000000009223372036854775808").i == std::numeric_limits<std::int64_t>::min());
  CHECK(OneValue("uint64").cell("-0").u == 0);
  CHECK(OneValue("uint64").cell("+018446744073709551615").u == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("what is not written as an integer is refused as none") {
  for (const char* type : {"int8", "int64", "uint64"}) {
    OneValue value(type);
    for (const char* text : {" 1", "1 ", "1.0", "1e2", "0x10", "+", "-", "--1", "+-1", "1,000", "1_000", "abc", "1a",
                             "a1", "/1", ":1", "12345678901234567890123x", "\xd9\xa1", "NULL"}) {
      CAPTURE(type, text);
      CHECK(value.take(text) == "is not an integer");
    }
    CHECK(value.take(std::string_view("1\0", 2)) == "is not an integer");
    CHECK(value.take("") == "is empty, which is no " + std::string(type));
  }
}

TEST_CASE("floats take the nearest value to the text") {
  OneValue value("float64");
  CHECK(value.cell("0.1").d == 0.1);
  CHECK(value.cell("+1.5e3").d == 1500.0);
  CHECK(value.cell("-.5").d == -0.5);
  CHECK(value.cell("1.7976931348623157e308").d == std::numeric_limits<double>::max());
  CHECK(value.cell("5e-324").d == std::numeric_limits<double>::denorm_min());
  CHECK(value.cell("0e-999").d == 0.0);
  CHECK(value.cell("0.000E5").d == 0.0);
  CHECK(std::signbit(value.cell("-0").d));
  CHECK(value.cell("9007199254740993").d == 9007199254740992.0);

  OneValue single("float32");
  CHECK(single.cell("0.1").d == static_cast<double>(0.1F));
  CHECK(single.cell("3.4028235e38").d == static_cast<double>(std::numeric_limits<float>::max()));
  CHECK(single.cell("1e-45").d == static_cast<double>(std::numeric_limits<float>::denorm_min()));
  CHECK(single.cell("16777217").d == 16777216.0);
}

TEST_CASE("floats refuse what would become infinite, zero or is no number") {
  OneValue value("double precision");
  CHECK(value.take("1e309") == "is too large for float64");
  CHECK(value.take("-1e309") == "is too large for float64");
  CHECK(value.take("1e-400") == "is too close to zero for float64");
  CHECK(value.take("-0.001e-400") == "is too close to zero for float64");
  OneValue single("real");
  CHECK(single.take("3.5e38") == "is too large for float32");
  CHECK(single.take("1e39") == "is too large for float32");
  CHECK(single.take("-1e-46") == "is too close to zero for float32");
  for (OneValue* one : {&value, &single}) {
    for (const char* text : {"NaN", "nan", "-NaN", "+nan"}) {
      CAPTURE(text);
      CHECK(one->take(text) == "is NaN, only finite numbers are taken");
    }
    for (const char* text : {"Infinity", "-infinity", "inf", "+INF"}) {
      CAPTURE(text);
      CHECK(one->take(text) == "is infinite, only finite numbers are taken");
    }
    for (const char* text : {"abc", "1.5 ", " 1", "1e", "1.2.3", "0x1p3", "--1", "+-1", "-+1", "+", "-", ".", "e5",
                             "1,5", "nan(1)", "infinite", "-"}) {
      CAPTURE(text);
      CHECK(one->take(text) == "is not a number");
    }
  }
  CHECK(single.take("") == "is empty, which is no float32");
}

TEST_CASE("decimals are kept digit by digit in canonical form") {
  struct Row {
    const char* type;
    const char* text;
    const char* canonical;
  };
  for (const auto& [type, text, canonical] : std::initializer_list<Row>{
           {"decimal(12,2)", "123.45", "123.45"},
           {"decimal(12,2)", "-123.45", "-123.45"},
           {"decimal(12,2)", "+123.45", "123.45"},
           {"decimal(12,2)", "123", "123"},
           {"decimal(12,2)", "123.4", "123.4"},
           {"decimal(12,2)", "123.40", "123.40"},
           {"decimal(12,2)", "123.4000", "123.40"},
           {"decimal(12,2)", "00123.4", "123.4"},
           {"decimal(12,2)", "-00123.4", "-123.4"},
           {"decimal(12,2)", "000", "0"},
           {"decimal(12,2)", "0", "0"},
           {"decimal(12,2)", "-0", "0"},
           {"decimal(12,2)", "-0.00", "0.00"},
           {"decimal(12,2)", "-00.00", "0.00"},
           {"decimal(12,2)", "-0.01", "-0.01"},
           {"decimal(12,2)", ".5", "0.5"},
           {"decimal(12,2)", "-.5", "-0.5"},
           {"decimal(12,2)", "1e2", "100"},
           {"decimal(12,2)", "-1E+2", "-100"},
           {"decimal(12,2)", "12345e-2", "123.45"},
           {"decimal(12,2)", "1.50e1", "15.0"},
           {"decimal(12,2)", "0.001e1", "0.01"},
           {"decimal(12,2)", "1e-2", "0.01"},
           {"decimal(12,2)", "1000e-5", "0.01"},
           {"decimal(12,2)", "-5e-1", "-0.5"},
           {"decimal(12,2)", "0e999999999999999999999", "0"},
           {"decimal(12,2)", "-0.0e-5", "0.00"},
           {"decimal(12,2)", "0e-999999999999999999999", "0.00"},
           {"decimal(12,2)", "1e0", "1"},
           {"decimal(12,2)", "9999999999.99", "9999999999.99"},
           {"decimal(12,2)", "0009999999999.99", "9999999999.99"},
           {"decimal(5,0)", "12.000", "12"},
           {"decimal(5,0)", "12000e-3", "12"},
           {"decimal(5,5)", "0.12345", "0.12345"},
           {"decimal(5,5)", "12345e-5", "0.12345"},
           {"decimal(5,5)", "1e-5", "0.00001"},
           {"decimal", "1.500", "1.500"},
           {"decimal", "123456789012345678901234567890.123456789012345678901234567890",
            "123456789012345678901234567890.123456789012345678901234567890"},
           {"decimal", "1.5e-3", "0.0015"},
           {"decimal", "0.0e-2", "0.000"},
           {"decimal", "0010e1", "100"},
       }) {
    OneValue value(type);
    CAPTURE(type, text);
    CHECK(value.bytes(text) == canonical);
    CHECK(value.bytes(canonical) == canonical);
  }
}

TEST_CASE("decimals that would have to be cut or rounded are refused with the count") {
  OneValue value("numeric(12,2)");
  CHECK(value.take("1.234") == "has 3 digits after the point, decimal(12,2) takes 2");
  CHECK(value.take("1.2340") == "has 3 digits after the point, decimal(12,2) takes 2");
  CHECK(value.take("1e-3") == "has 3 digits after the point, decimal(12,2) takes 2");
  CHECK(value.take("12345678901") == "has 11 digits before the point, decimal(12,2) takes 10");
  CHECK(value.take("-12345678901.5") == "has 11 digits before the point, decimal(12,2) takes 10");
  CHECK(value.take("1e10") == "has 11 digits before the point, decimal(12,2) takes 10");
  CHECK(value.take("1e999999999999999999999") == "has 1099511627777 digits before the point, decimal(12,2) takes 10");
  CHECK(OneValue("decimal(2,2)").take("1.5") == "has 1 digit before the point, decimal(2,2) takes 0");
  CHECK(OneValue("decimal(5)").take("1.5") == "has 1 digit after the point, decimal(5,0) takes 0");
}

TEST_CASE("unbounded decimals end where PostgreSQL's numeric does") {
  OneValue value("decimal");
  CHECK(value.bytes("1e131071") == "1" + std::string(131'071, '0'));
  CHECK(value.take("1e131072") == "has 131073 digits before the point, decimal takes 131072");
  CHECK(value.take(std::string(131'073, '9')) == "has 131073 digits before the point, decimal takes 131072");
  CHECK(value.bytes("1e-16383") == "0." + std::string(16'382, '0') + "1");
  CHECK(value.take("1e-16384") == "has 16384 digits after the point, decimal takes 16383");
  CHECK(value.take("0." + std::string(16'384, '0')) == "has 16384 digits after the point, decimal takes 16383");
  CHECK(value.take("0e-16384") == "has 16384 digits after the point, decimal takes 16383");
  CHECK(value.bytes("0e-3") == "0.000");
}

TEST_CASE("what is not a decimal number is refused as none") {
  OneValue value("decimal(12,2)");
  for (const char* text : {"5.",    "-5.", "5.e1", ".",   "-",   "+",   "-.",  "e1",  "1e", "1e+", "1e1.5",
                           "1.2.3", "1 ",  " 1",   "1,5", "0x1", "--1", "+-1", "abc", "1a", "$1",  "\xd9\xa1"}) {
    CAPTURE(text);
    CHECK(value.take(text) == "is not a number");
  }
  CHECK(value.take("NaN") == "is NaN, only finite numbers are taken");
  CHECK(value.take("-Infinity") == "is infinite, only finite numbers are taken");
  CHECK(value.take("") == "is empty, which is no decimal(12,2)");
}

}  // namespace
}  // namespace xasink::test
