#include "one_value.hpp"
#include "tests/support/catch.hpp"

namespace xasink::test {
namespace {

TEST_CASE("text is taken byte for byte when it is valid UTF-8") {
  OneValue value("text");
  for (const char* text : {"", " ", "plain", "eight ch", "nine char", "a\tb\nc\x7f", "über", "日本語",
                           "\xf0\x9f\x98\x80", "a text that is long enough for several words, ending in ü"}) {
    CAPTURE(text);
    CHECK(value.bytes(text) == text);
  }
}

TEST_CASE("a byte that is no UTF-8 is refused wherever it stands") {
  OneValue value("text");
  for (std::size_t length = 1; length <= 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      std::string text(length, 'a');
      text[at] = '\xff';
      if (value.take(text) != "is not valid UTF-8") FAIL("taken at " << at << " of " << length);
      text[at] = '\0';
      if (value.take(text) != "has a zero byte, which text can't hold") FAIL("taken at " << at << " of " << length);
      text[at] = '\x01';
      if (!value.take(text).empty()) FAIL("refused at " << at << " of " << length);
    }
  }
}

TEST_CASE("malformed UTF-8 of every sort is refused") {
  OneValue value("text");
  for (const char* text : {"\x80", "\xc3", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                           "\xf8\x88\x80\x80\x80", "ok \xc3( no", "\xf0\x80\x80\x80"}) {
    CAPTURE(schema::shorten(text));
    CHECK(value.take(text) == "is not valid UTF-8");
  }
  CHECK(value.take(std::string_view("\xc3\xbc\0", 3)) == "has a zero byte, which text can't hold");
}

TEST_CASE("the length of text is counted in code points") {
  OneValue value("varchar(4)");
  CHECK(value.bytes("abcd") == "abcd");
  CHECK(value.bytes("äöüß") == "äöüß");
  CHECK(value.bytes("日本語\xf0\x9f\x98\x80") == "日本語\xf0\x9f\x98\x80");
  CHECK(value.take("abcde") == "has 5 characters, text(4) takes 4");
  CHECK(value.take("äöüßa") == "has 5 characters, text(4) takes 4");
  CHECK(value.take("abcd ") == "has 5 characters, text(4) takes 4");
}

TEST_CASE("bytes are taken in hexadecimal after \\x") {
  OneValue value("bytea");
  CHECK(value.bytes("\\x") == "");
  CHECK(value.bytes("\\x00fF0a") == std::string("\0\xff\x0a", 3));
  CHECK(value.take("00ff") == "does not begin with \\x, as bytes written in hexadecimal do");
  CHECK(value.take("\\X00") == "does not begin with \\x, as bytes written in hexadecimal do");
  CHECK(value.take("\\") == "does not begin with \\x, as bytes written in hexadecimal do");
  CHECK(value.take("\\x0") == "has an odd number of hexadecimal digits");
  CHECK(value.take("\\x0g") == "has something else than hexadecimal digits after \\x");
  CHECK(value.take("\\x000") == "has an odd number of hexadecimal digits");
  CHECK(value.take("\\x00 00 ") == "has something else than hexadecimal digits after \\x");
  CHECK(value.take("") == "is empty, which is no bytes");
}

TEST_CASE("the length of bytes is counted in bytes") {
  OneValue value("bytes(2)");
  CHECK(value.bytes("\\x0001").size() == 2);
  CHECK(value.take("\\x000102") == "has 3 bytes, bytes(2) takes 2");
}

TEST_CASE("JSON is kept as it was given") {
  OneValue value("json");
  for (const char* text :
       {"{}", "[]", "null", "true", "0", "-1.5e-3", "\"\"", " { \"a\" : [ 1 , 2 ] } ", "{\"a\":1,\"a\":2}",
        "\"\\u0000\"", "\"\\ud83d\\ude00 ü\"", "[1,\n2]", "123456789012345678901234567890", "1e400", "-1e-99999",
        "[0.10, 1E+05]", "{\"1e999\": 1e999, \"q\\\"1e9\": [\"01\", 18446744073709551616]}",
        "[100000000000000000000, 0, -0, 0.00]"}) {
    CAPTURE(text);
    CHECK(value.bytes(text) == text);
  }
}

TEST_CASE("JSON that is broken anywhere is refused") {
  OneValue value("jsonb");
  for (const char* text : {"{",
                           "}",
                           "[1,]",
                           "[1 2]",
                           "[,1]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{'a':1}",
                           "tru",
                           "nul",
                           "True",
                           "NaN",
                           "Infinity",
                           "1 2",
                           "{} {}",
                           "{}x",
                           "[1]]",
                           "01",
                           "-01",
                           "[00]",
                           "1.",
                           ".5",
                           "+1",
                           "1e",
                           "0x1",
                           "1e999x",
                           "-",
                           "[1e999, 01]",
                           "[1e999,]",
                           "12345678901234567890123.",
                           "123456789012345678901234567890 1",
                           "\"a",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"a\tb\"",
                           "//c\n1",
                           "[1e400, \"\\x\"]",
                           " "}) {
    CAPTURE(text);
    CHECK_THAT(value.take(text), contains("is not valid JSON"));
  }
  CHECK(value.take("\"\xff\"") == "is not valid UTF-8");
  CHECK(value.take("\xef\xbb\xbf{}") == "is not valid JSON: it begins with a byte order mark");
  CHECK(value.take("\"a\nb\"") == "is not valid JSON: a control character inside a string");
  CHECK(value.take("01") == "is not valid JSON: a malformed number");
  CHECK_THAT(value.take(std::string_view("\"\0\"", 3)), contains("is not valid JSON"));
  CHECK_THAT(value.take(std::string_view("{}\0", 3)), contains("is not valid JSON"));
  CHECK(value.take("") == "is empty, which is no json");
}

TEST_CASE("JSON nested without end is refused, and the parser works on after it") {
  OneValue value("json");
  const std::string deep(100'000, '[');
  CHECK_THAT(value.take(deep), contains("JSON"));
  CHECK(value.take(std::string(2000, '[') + std::string(2000, ']')) ==
        "is JSON nested too deeply (more than 1024 levels)");
  CHECK(value.bytes("[[[1]]]") == "[[[1]]]");
}

}  // namespace
}  // namespace xasink::test
