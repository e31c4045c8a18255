#include "schema/calendar.hpp"

#include <string>

#include "schema/hex.hpp"
#include "tests/support/catch.hpp"
#include "xasink/error.hpp"

namespace xasink::schema {
namespace {

template <typename Format>
std::string formatted(Format format, std::int64_t value) {
  char buffer[64];
  return {buffer, format(buffer, value)};
}

TEST_CASE("known days have their numbers") {
  struct Row {
    CivilDate date;
    std::int64_t days;
    const char* text;
  };
  for (const auto& [date, days, text] : std::initializer_list<Row>{
           {{1970, 1, 1}, 0, "1970-01-01"},
           {{1969, 12, 31}, -1, "1969-12-31"},
           {{2000, 2, 29}, 11'016, "2000-02-29"},
           {{2000, 3, 1}, 11'017, "2000-03-01"},
           {{1900, 3, 1}, -25'508, "1900-03-01"},
           {{2038, 1, 19}, 24'855, "2038-01-19"},
           {{1, 1, 1}, -719'162, "0001-01-01"},
           {{9999, 12, 31}, 2'932'896, "9999-12-31"},
       }) {
    CAPTURE(text);
    CHECK(days_from_civil(date) == days);
    CHECK(civil_from_days(days) == date);
    CHECK(formatted(format_date, days) == text);
  }
}

TEST_CASE("every day of ten thousand years follows the one before and comes back as itself") {
  CivilDate before = civil_from_days(min_days);
  for (std::int64_t days = min_days + 1; days <= max_days; ++days) {
    const CivilDate date = civil_from_days(days);
    const bool next = date.day == before.day + 1
                          ? date.month == before.month && date.year == before.year
                          : date.day == 1 && before.day >= 28 &&
                                (date.month == before.month + 1
                                     ? date.year == before.year
                                     : date.month == 1 && before.month == 12 && date.year == before.year + 1);
    if (!next || !is_valid(date) || days_from_civil(date) != days) {
      CAPTURE(days);
      FAIL("the calendar jumps");
    }
    before = date;
  }
  CHECK(before == CivilDate{9999, 12, 31});
}

TEST_CASE("days that the calendar does not have are not valid") {
  for (const CivilDate date : {CivilDate{2023, 2, 29},
                               {1900, 2, 29},
                               {2024, 2, 30},
                               {2024, 4, 31},
                               {2024, 13, 1},
                               {2024, 0, 1},
                               {2024, 1, 0},
                               {2024, 1, 32},
                               {0, 1, 1},
                               {10'000, 1, 1},
                               {-1, 1, 1}}) {
    CAPTURE(date.year, date.month, date.day);
    CHECK_FALSE(is_valid(date));
  }
}

TEST_CASE("times before 1970 belong to the day that began before them") {
  CHECK(split_micros(-1).days == -1);
  CHECK(split_micros(-1).micros == micros_per_day - 1);
  CHECK(split_micros(-micros_per_day).days == -1);
  CHECK(split_micros(-micros_per_day).micros == 0);
  CHECK(formatted(format_timestamp, -1) == "1969-12-31 23:59:59.999999");
  CHECK(formatted(format_timestamp, 0) == "1970-01-01 00:00:00.000000");
  CHECK(formatted(format_timestamp, min_micros) == "0001-01-01 00:00:00.000000");
  CHECK(formatted(format_timestamp, max_micros) == "9999-12-31 23:59:59.999999");
}

TEST_CASE("times have all six digits of the microsecond") {
  CHECK(formatted(format_time, 0) == "00:00:00.000000");
  CHECK(formatted(format_time, 1) == "00:00:00.000001");
  CHECK(formatted(format_time, micros_per_day - 1) == "23:59:59.999999");
  CHECK(formatted(format_time, 3'723'004'005) == "01:02:03.004005");
}

TEST_CASE("a value outside of the calendar is an error, not a text") {
  CHECK_THROWS_AS(formatted(format_date, min_days - 1), Error);
  CHECK_THROWS_AS(formatted(format_date, max_days + 1), Error);
  CHECK_THROWS_AS(formatted(format_time, -1), Error);
  CHECK_THROWS_AS(formatted(format_time, micros_per_day), Error);
  CHECK_THROWS_AS(formatted(format_timestamp, min_micros - 1), Error);
  CHECK_THROWS_AS(formatted(format_timestamp, max_micros + 1), Error);
}

TEST_CASE("the sizes of the calendar's texts are what their functions write") {
  CHECK(formatted(format_date, 0).size() == date_size);
  CHECK(formatted(format_time, 0).size() == time_size);
  CHECK(formatted(format_timestamp, 0).size() == timestamp_size);
}

TEST_CASE("hexadecimal goes both ways over every byte") {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  std::string hex = "start ";
  append_hex(hex, all);
  CHECK(hex.substr(0, 14) == "start 00010203");
  CHECK(hex.substr(hex.size() - 4) == "feff");
  std::string back(256, '?');
  REQUIRE(decode_hex(std::string_view(hex).substr(6), back.data()));
  CHECK(back == all);
  for (int i = 0; i < 256; ++i) {
    const std::string pair{'0', static_cast<char>(i)};
    const bool digit = (i >= '0' && i <= '9') || (i >= 'a' && i <= 'f') || (i >= 'A' && i <= 'F');
    CAPTURE(i);
    CHECK(decode_hex(pair, back.data()) == digit);
  }
}

}  // namespace
}  // namespace xasink::schema
