#include <array>
#include <limits>
#include <optional>
#include <string>

#include "config/byte_size.hpp"
#include "config/duration.hpp"
#include "config/environment.hpp"
#include "config/nearest.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using namespace xasink::config;

TEST_CASE("durations are a whole number and a unit") {
  CHECK(parse_duration("250ms").value == 250ms);
  CHECK(parse_duration("1s").value == 1s);
  CHECK(parse_duration("5m").value == 5min);
  CHECK(parse_duration("2h").value == 2h);
  CHECK(parse_duration("30 s").value == 30s);
  CHECK(parse_duration("0s").value == 0ms);
}

TEST_CASE("a duration that is not one is told apart") {
  CHECK(parse_duration("").problem == "does not begin with a whole number");
  CHECK(parse_duration("5").problem == "has no unit");
  CHECK(parse_duration("5 ").problem == "has no unit");
  CHECK(parse_duration("5sec").problem == "has an unknown unit");
  CHECK(parse_duration("5S").problem == "has an unknown unit");
  CHECK(parse_duration("5s ").problem == "has an unknown unit");
  CHECK(parse_duration("1h30m").problem == "has an unknown unit");
  CHECK(parse_duration("1.5s").problem == "is not a whole number");
  CHECK(parse_duration("-1s").problem == "does not begin with a whole number");
  CHECK(parse_duration(" 1s").problem == "does not begin with a whole number");
  CHECK(parse_duration("99999999999999999999s").problem == "is too large");
  CHECK(parse_duration("9999999999999999h").problem == "is too large");
  CHECK(parse_duration("9300000000000000000ms").problem == "is too large");
}

TEST_CASE("byte sizes count in powers of 1024 or of 1000, as their unit says") {
  CHECK(parse_byte_size("512B").value == 512U);
  CHECK(parse_byte_size("2KiB").value == 2048U);
  CHECK(parse_byte_size("64MiB").value == 64U << 20);
  CHECK(parse_byte_size("1GiB").value == 1U << 30);
  CHECK(parse_byte_size("2kB").value == 2000U);
  CHECK(parse_byte_size("3 MB").value == 3'000'000U);
  CHECK(parse_byte_size("4GB").value == 4'000'000'000U);
  CHECK(parse_byte_size("18446744073709551615B").value == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("a byte size with an unclear unit is refused") {
  CHECK(parse_byte_size("64").problem == "has no unit");
  CHECK(parse_byte_size("64M").problem == "has an unknown unit");
  CHECK(parse_byte_size("64mb").problem == "has an unknown unit");
  CHECK(parse_byte_size("64KB").problem == "has an unknown unit");
  CHECK(parse_byte_size("0.5GiB").problem == "is not a whole number");
  CHECK(parse_byte_size("18446744073709551616B").problem == "is too large");
  CHECK(parse_byte_size("18446744073709551615KiB").problem == "is too large");
}

TEST_CASE("what is formatted is parsed back to the same value") {
  for (const auto duration : {0ms, 1ms, 999ms, 1000ms, 90'000ms, 3'600'000ms, 3'600'001ms}) {
    CAPTURE(format_duration(duration));
    CHECK(parse_duration(format_duration(duration)).value == duration);
  }
  for (const std::uint64_t bytes : {0ULL, 1ULL, 1023ULL, 1024ULL, 1536ULL, 1ULL << 40, ~0ULL}) {
    CAPTURE(format_byte_size(bytes));
    CHECK(parse_byte_size(format_byte_size(bytes)).value == bytes);
  }
  CHECK(format_duration(90s) == "90s");
  CHECK(format_byte_size(64U << 20) == "64MiB");
}

TEST_CASE("the nearest known word is suggested, and only if it is near") {
  constexpr std::array<std::string_view, 5> known{"writers", "table", "url", "create", "primary_key"};
  CHECK(nearest("writrs", known) == "writers");
  CHECK(nearest("wrtiers", known) == "writers");
  CHECK(nearest("Table", known) == "table");
  CHECK(nearest("primarykey", known) == "primary_key");
  CHECK(nearest("uri", known) == "url");
  CHECK(nearest("password", known).empty());
  CHECK(nearest("x", known).empty());
  CHECK(nearest("", known).empty());
  CHECK(nearest(std::string(1'000'000, 'w'), known).empty());
}

TEST_CASE("variables are replaced once, and $${ stays a literal ${") {
  const Environment environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "USER") return "app";
    if (name == "_P2") return "${USER}";
    if (name == "EMPTY") return "";
    if (name == "LATIN1") return "\xe9";
    return std::nullopt;
  };
  CHECK(expand("plain $5 $USER }", environment).text == "plain $5 $USER }");
  CHECK(expand("${USER}", environment).text == "app");
  CHECK(expand("a${USER}b${EMPTY}c${USER}", environment).text == "aappbcapp");
  CHECK(expand("${_P2}", environment).text == "${USER}");
  CHECK(expand("$${USER}/${USER}", environment).text == "${USER}/app");
  CHECK(expand("$${", environment).text == "${");
  CHECK(expand("", environment).text.empty());

  CHECK(expand("x${NOPE}", environment).problem == "needs the environment variable `NOPE`, which is not set");
  CHECK(expand("${LATIN1}", environment).problem ==
        "takes the environment variable `LATIN1`, whose value is not valid UTF-8");
  for (const char* bad : {"${", "${}", "${USER", "${2X}", "${US-ER}", "${US ER}", "${${USER}}"}) {
    CAPTURE(bad);
    CHECK(expand(bad, environment).problem == "has a `${` without a variable's name and `}` behind it");
  }
}
