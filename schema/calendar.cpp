#include "schema/calendar.hpp"

#include <string>

#include "xasink/error.hpp"

namespace xasink::schema {
namespace {

char* put_digits(char* to, std::int64_t value, int width) {
  for (int i = width - 1; i >= 0; --i) {
    to[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return to + width;
}

// A cell that came through append_text is never outside; one that is was made by a broken program, and any text for it
// would be a lie.
void require(std::int64_t value, std::int64_t low, std::int64_t high, const char* what) {
  if (value < low || value > high) {
    throw Error(Category::internal, std::to_string(value) + " is no " + what + " between years 0001 and 9999");
  }
}

}  // namespace

char* format_date(char* to, std::int64_t days) {
  require(days, min_days, max_days, "day");
  const CivilDate date = civil_from_days(days);
  to = put_digits(to, date.year, 4);
  *to++ = '-';
  to = put_digits(to, date.month, 2);
  *to++ = '-';
  return put_digits(to, date.day, 2);
}

char* format_time(char* to, std::int64_t micros) {
  require(micros, 0, micros_per_day - 1, "time of a day");
  to = put_digits(to, micros / micros_per_hour, 2);
  *to++ = ':';
  to = put_digits(to, micros / micros_per_minute % 60, 2);
  *to++ = ':';
  to = put_digits(to, micros / micros_per_second % 60, 2);
  *to++ = '.';
  return put_digits(to, micros % micros_per_second, 6);
}

char* format_timestamp(char* to, std::int64_t micros) {
  require(micros, min_micros, max_micros, "time");
  const DayAndTime parts = split_micros(micros);
  to = format_date(to, parts.days);
  *to++ = ' ';
  return format_time(to, parts.micros);
}

}  // namespace xasink::schema
