#include <simdjson.h>

#include "one_value.hpp"
#include "tests/support/catch.hpp"

namespace xasink::test {
namespace {

TEST_CASE("booleans are taken in the words that databases write, in any case") {
  OneValue value("boolean");
  for (const char* text : {"true", "t", "yes", "y", "on", "1", "TRUE", "True", "T", "YES", "Y", "On"}) {
    CAPTURE(text);
    CHECK(value.cell(text).i == 1);
  }
  for (const char* text : {"false", "f", "no", "n", "off", "0", "FALSE", "F", "No", "N", "OFF"}) {
    CAPTURE(text);
    CHECK(value.cell(text).i == 0);
  }
  for (const char* text : {"2", "00", "01", "-1", "tru", "truee", "falsee", " true", "true ", "ja", "tt", "1.0", "null",
                           "a text far longer than any of the words"}) {
    CAPTURE(text);
    CHECK(value.take(text) == "is not a boolean (true or false, t/f, yes/no, y/n, on/off, 1/0)");
  }
  for (const std::string_view text :
       {std::string_view("\0t", 2), std::string_view("\0", 1), std::string_view("t\0", 2)}) {
    CHECK_THAT(value.take(text), contains("is not a boolean"));
  }
  CHECK(value.take("") == "is empty, which is no boolean");
}

TEST_CASE("UUIDs are taken with and without hyphens and braces") {
  OneValue value("uuid");
  const std::string bytes("\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef", 16);
  for (const char* text : {"01234567-89ab-cdef-0123-456789abcdef", "01234567-89AB-CDEF-0123-456789ABCDEF",
                           "0123456789abcdef0123456789aBCdef", "{01234567-89ab-cdef-0123-456789abcdef}",
                           "{0123456789abcdef0123456789abcdef}"}) {
    CAPTURE(text);
    CHECK(value.bytes(text) == bytes);
    CHECK(value.again(text) == "01234567-89ab-cdef-0123-456789abcdef");
  }
  for (const char* text : {"01234567-89ab-cdef-0123-456789abcde", "01234567-89ab-cdef-0123-456789abcdeff",
                           "01234567-89ab-cdef-0123-456789abcdeg", "01234567089ab-cdef-0123-456789abcdef",
                           "0123456-789ab-cdef-0123-456789abcdef", "0123456789abcdef0123456789abcdeg",
                           "{01234567-89ab-cdef-0123-456789abcdef", "01234567-89ab-cdef-0123-456789abcdef}", "{}", "{",
                           "x", " 01234567-89ab-cdef-0123-456789abcdef", "0123-4567-89ab-cdef-0123-4567-89ab-cdef",
                           "0123456789abcdef-0123456789abcdef---"}) {
    CAPTURE(text);
    CHECK(value.take(text) == "is not a UUID (32 hexadecimal digits, or 8-4-4-4-12 of them)");
  }
}

TEST_CASE("NULL goes into nullable columns only") {
  OneValue nullable("int32");
  CHECK(schema::append_null(nullable.batch(), nullable.column()).empty());
  REQUIRE(nullable.batch().pending_cells() == 1);
  CHECK(nullable.batch().cells().back().null == 1);

  OneValue required("int32", false);
  CHECK(schema::append_null(required.batch(), required.column()) == "is NULL, but the column is NOT NULL");
  CHECK(required.batch().pending_cells() == 0);
}

TEST_CASE("cells that hold a value are not null") {
  CHECK(OneValue("text", false).cell("").null == 0);
  CHECK(OneValue("int32", false).cell("0").null == 0);
}

TEST_CASE("shortened values are short, valid and harmless to a terminal") {
  using schema::shorten;
  CHECK(shorten("") == "");
  CHECK(shorten("plain ü 日本") == "plain ü 日本");
  CHECK(shorten("a\nb\rc\td") == "a\\nb\\rc\\td");
  CHECK(shorten(std::string_view("\0\x1b[31m\x7f", 7)) == "\\x00\\x1b[31m\\x7f");
  CHECK(shorten("\xff\xc3") == "\\xff\\xc3");
  CHECK(shorten("\xc2\x9b") == "\\xc2\\x9b");
  CHECK(shorten("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(shorten(std::string(40, 'a')) == std::string(40, 'a'));
  CHECK(shorten(std::string(41, 'a')) == std::string(40, 'a') + "…");
}

TEST_CASE("shortened values never cut a character apart, whatever the bytes") {
  std::uint32_t state = 20'240'601;
  for (int round = 0; round < 2000; ++round) {
    std::string value;
    for (int i = 0; i < 200; ++i) {
      state = state * 1'664'525 + 1'013'904'223;
      value += static_cast<char>(state >> 24);
      if (state % 7 == 0) value += "語";
    }
    const std::string text = schema::shorten(value);
    if (!simdjson::validate_utf8(text) || text.size() > 200 || text.find('\n') != std::string::npos) {
      FAIL("round " << round << " gave " << text);
    }
  }
}

}  // namespace
}  // namespace xasink::test
