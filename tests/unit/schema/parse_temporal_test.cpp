#include "one_value.hpp"
#include "schema/calendar.hpp"
#include "tests/support/catch.hpp"

namespace xasink::test {
namespace {

constexpr std::int64_t second = schema::micros_per_second;
constexpr std::int64_t minute = schema::micros_per_minute;
constexpr std::int64_t hour = schema::micros_per_hour;

TEST_CASE("dates are taken over all years of the calendar") {
  OneValue value("date");
  CHECK(value.cell("1970-01-01").i == 0);
  CHECK(value.cell("1969-12-31").i == -1);
  CHECK(value.cell("2000-02-29").i == 11'016);
  CHECK(value.cell("0001-01-01").i == schema::min_days);
  CHECK(value.cell("9999-12-31").i == schema::max_days);
}

TEST_CASE("dates that are none are refused with the reason") {
  OneValue value("date");
  for (const char* text :
       {"2024", "2024-1-1", "2024-01-1", "20240101", "24-01-01", "01.02.2024", "2024/01/01", " 2024-01-01",
        "-2024-01-01", "2024-01-", "abcd-ef-gh", "2024-01-0x", "2024:01:01", "10000-01-01"}) {
    CAPTURE(text);
    CHECK(value.take(text) == "is not a date (YYYY-MM-DD)");
  }
  for (const char* text : {"2023-02-29", "1900-02-29", "2024-02-30", "2024-04-31", "2024-13-01", "2024-00-01",
                           "2024-01-00", "2024-01-32"}) {
    CAPTURE(text);
    CHECK(value.take(text) == "is a day that the calendar does not have");
  }
  CHECK(value.take("0000-01-01") == "has the year 0, years run from 1 to 9999");
  CHECK(value.take("2024-01-01 00:00:00") == "has something after the date");
  CHECK(value.take("2024-01-01 ") == "has something after the date");
  CHECK(value.take("2024-01-01 BC") == "has something after the date");
  CHECK(value.take("infinity") == "is infinite, only years 1 to 9999 are taken");
  CHECK(value.take("-Infinity") == "is infinite, only years 1 to 9999 are taken");
  CHECK(value.take("") == "is empty, which is no date");
}

TEST_CASE("times of day are taken to the microsecond") {
  OneValue value("time");
  CHECK(value.cell("00:00").i == 0);
  CHECK(value.cell("12:34").i == 12 * hour + 34 * minute);
  CHECK(value.cell("12:34:56").i == 12 * hour + 34 * minute + 56 * second);
  CHECK(value.cell("12:34:56.7").i == 12 * hour + 34 * minute + 56 * second + 700'000);
  CHECK(value.cell("00:00:00.000001").i == 1);
  CHECK(value.cell("00:00:00.123456").i == 123'456);
  CHECK(value.cell("00:00:00.123456000").i == 123'456);
  CHECK(value.cell("23:59:59.999999").i == schema::micros_per_day - 1);
}

TEST_CASE("times of day that are none are refused with the reason") {
  OneValue value("time");
  for (const char* text : {"1:00", "12", "12:", "12:3", "12:34:", "12:34:5", "12:34:56.", "12:34:56,5", "12:34:56.1!",
                           "123456", " 12:34", "12:34 ", "-12:34", "12.34"}) {
    CAPTURE(text);
    CHECK(value.take(text) == "is not a time of day (HH:MM, HH:MM:SS or HH:MM:SS.ffffff)");
  }
  CHECK(value.take("24:00") == "has an hour after 23");
  CHECK(value.take("24:00:00") == "has an hour after 23");
  CHECK(value.take("00:60") == "has a minute after 59");
  CHECK(value.take("23:59:60") == "has a second after 59");
  CHECK(value.take("00:00:00.0000001") == "is more exact than a microsecond");
  CHECK(value.take("00:00:00.1234560001") == "is more exact than a microsecond");
  CHECK(value.take("12:34:56+02") == "has a time zone, time has none");
  CHECK(value.take("12:34Z") == "has a time zone, time has none");
  CHECK(value.take("12:34 UTC") == "has a time zone, time has none");
}

TEST_CASE("timestamps are taken with a space or a T") {
  OneValue value("timestamp");
  const std::int64_t noon = 12 * hour;
  CHECK(value.cell("1970-01-01 12:00").i == noon);
  CHECK(value.cell("1970-01-01T12:00:00").i == noon);
  CHECK(value.cell("1970-01-01t12:00:00.000000").i == noon);
  CHECK(value.cell("1969-12-31 23:59:59.999999").i == -1);
  CHECK(value.cell("0001-01-01 00:00:00").i == schema::min_micros);
  CHECK(value.cell("9999-12-31 23:59:59.999999").i == schema::max_micros);
}

TEST_CASE("timestamps that are none, or have a zone, are refused with the reason") {
  OneValue value("timestamp");
  for (const char* text : {"2024-01-01 00:00:00Z", "2024-01-01 00:00:00+02", "2024-01-01 00:00:00 -05:00",
                           "2024-01-01T00:00:00.5z", "2024-01-01 00:00 UTC"}) {
    CAPTURE(text);
    CHECK(value.take(text) == "has a time zone, timestamp has none");
  }
  for (const char* text :
       {"12:34:56", "2024-01-01  00:00", "2024-01-01 0:00", "2024-01-01_00:00", "2024-01-01 00:00:00 ",
        "2024-01-01 00:00:00,5", "1704067200", "2024-01-01 ", "2024-01-01T", "2024-01-01 00:00:0"}) {
    CAPTURE(text);
    CHECK(value.take(text) == "is not a timestamp (YYYY-MM-DD HH:MM:SS)");
  }
  CHECK(value.take("2024-01-01") == "has no time of day");
  CHECK(value.take("2024-02-30 00:00:00") == "is a day that the calendar does not have");
  CHECK(value.take("0000-01-01 00:00:00") == "has the year 0, years run from 1 to 9999");
  CHECK(value.take("2024-01-01 24:00:00") == "has an hour after 23");
  CHECK(value.take("2024-01-01 00:00:00.1234567") == "is more exact than a microsecond");
  CHECK(value.take("infinity") == "is infinite, only years 1 to 9999 are taken");
}

TEST_CASE("timestamps with a zone become the same moment in UTC") {
  OneValue value("timestamptz");
  for (const char* text :
       {"1970-01-01 12:00:00Z", "1970-01-01T12:00:00z", "1970-01-01 12:00Z", "1970-01-01 12:00:00+00",
        "1970-01-01 12:00:00-00:00", "1970-01-01 14:00:00+02", "1970-01-01 14:00:00 +0200", "1970-01-01 14:00:00+02:00",
        "1970-01-01 06:30:00-05:30", "1970-01-01 06:30:00 -0530", "1970-01-02 03:59+15:59",
        "1969-12-31 20:01:00.000000-15:59", "1970-01-01 12:00:00.000000 Z"}) {
    CAPTURE(text);
    CHECK(value.cell(text).i == 12 * hour);
    CHECK(value.again(text) == "1970-01-01 12:00:00.000000+00:00");
  }
  CHECK(value.cell("0001-01-01 00:00:00Z").i == schema::min_micros);
  CHECK(value.cell("9999-12-31 23:59:59.999999Z").i == schema::max_micros);
  CHECK(value.cell("0001-01-01 02:00:00+02").i == schema::min_micros);
}

TEST_CASE("timestamps without a usable zone are refused, never guessed") {
  OneValue value("timestamptz");
  CHECK(value.take("2024-01-01 00:00:00") == "has no time zone, timestamptz needs one (Z, or an offset as +02:00)");
  CHECK(value.take("2024-01-01T00:00") == "has no time zone, timestamptz needs one (Z, or an offset as +02:00)");
  for (const char* text :
       {"2024-01-01 00:00:00+", "2024-01-01 00:00:00+2", "2024-01-01 00:00:00+2:00", "2024-01-01 00:00:00+020",
        "2024-01-01 00:00:00+02:", "2024-01-01 00:00:00+02:0", "2024-01-01 00:00:00+16", "2024-01-01 00:00:00-16:00",
        "2024-01-01 00:00:00+02:60", "2024-01-01 00:00:00+02:00:30", "2024-01-01 00:00:00Zx", "2024-01-01 00:00:00Z ",
        "2024-01-01 00:00:00 ", "2024-01-01 00:00:00  Z", "2024-01-01 00:00:00+02:00 ", "2024-01-01 00:00:00/02",
        "2024-01-01 00:00:00+-2"}) {
    CAPTURE(text);
    CHECK(value.take(text) == "has no usable offset (Z, or +HH:MM up to 15:59) after the time");
  }
  CHECK(value.take("2024-01-01 00:00:00 UTC") == "names a time zone, only Z and offsets as +02:00 are taken");
  CHECK(value.take("2024-01-01 00:00:00 Europe/Berlin") == "names a time zone, only Z and offsets as +02:00 are taken");
  CHECK(value.take("0001-01-01 00:00:00+00:01") == "lies outside of the years 1 to 9999 in UTC");
  CHECK(value.take("9999-12-31 23:59:59.999999-00:01") == "lies outside of the years 1 to 9999 in UTC");
  CHECK(value.take("2024-01-01") == "has no time of day");
  CHECK(value.take("-infinity") == "is infinite, only years 1 to 9999 are taken");
}

}  // namespace
}  // namespace xasink::test
