#include "src/cli/text.hpp"

#include "tests/support/catch.hpp"

using namespace xasink::cli;
using std::chrono::milliseconds;

TEST_CASE("a time is written in UTC with milliseconds") {
  CHECK(utc_text(Time(milliseconds(0))) == "1970-01-01T00:00:00.000Z");
  CHECK(utc_text(Time(milliseconds(1'700'000'000'007))) == "2023-11-14T22:13:20.007Z");
}

TEST_CASE("a time before 1970 is no other time") {
  CHECK(utc_text(Time(milliseconds(-1))) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("what others named can't play with the terminal") {
  CHECK(printable("plain name/1.2") == "plain name/1.2");
  CHECK(printable("\x1b[31mred\n") == "\\x1b[31mred\\x0a");
  CHECK(printable("\xc3\xa4\x7f") == "\\xc3\\xa4\\x7f");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
}
