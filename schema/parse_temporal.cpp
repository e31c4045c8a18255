// Dates and times: ISO 8601 in the forms that databases and programs write, checked against the calendar.
#include "schema/calendar.hpp"
#include "schema/parsers.hpp"

namespace xasink::schema {
namespace {

// Why not; null if all is well. Constants, so that nothing is built before it is needed.
using Reason = const char*;

constexpr Reason no_date = "is not a date (YYYY-MM-DD)";
constexpr Reason no_time = "is not a time of day (HH:MM, HH:MM:SS or HH:MM:SS.ffffff)";
constexpr Reason no_timestamp = "is not a timestamp (YYYY-MM-DD HH:MM:SS)";
constexpr Reason no_such_zone = "has no usable offset (Z, or +HH:MM up to 15:59) after the time";

class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] char peek() const { return at_ == end_ ? '\0' : *at_; }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool take_digit(int& digit) {
    if (at_ == end_ || *at_ < '0' || *at_ > '9') return false;
    digit = *at_++ - '0';
    return true;
  }
  bool take_two(int& value) {
    int tens = 0;
    int ones = 0;
    if (!take_digit(tens) || !take_digit(ones)) return false;
    value = tens * 10 + ones;
    return true;
  }

 private:
  const char* at_;
  const char* end_;
};

bool is_infinite(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return is_word(text, "infinity");
}

Reason read_date(Cursor& cursor, std::int64_t& days) {
  int century = 0;
  int years = 0;
  int month = 0;
  int day = 0;
  if (!cursor.take_two(century) || !cursor.take_two(years) || !cursor.take('-') || !cursor.take_two(month) ||
      !cursor.take('-') || !cursor.take_two(day)) {
    return no_date;
  }
  const CivilDate date{century * 100 + years, static_cast<unsigned>(month), static_cast<unsigned>(day)};
  if (date.year == 0) return "has the year 0, years run from 1 to 9999";
  if (!is_valid(date)) return "is a day that the calendar does not have";
  days = days_from_civil(date);
  return nullptr;
}

Reason read_fraction(Cursor& cursor, int& micros) {
  int digit = 0;
  int digits = 0;
  for (; cursor.take_digit(digit); ++digits) {
    if (digits < 6)
      micros = micros * 10 + digit;
    else if (digit != 0)
      return "is more exact than a microsecond";
  }
  if (digits == 0) return no_time;
  for (; digits < 6; ++digits) micros *= 10;
  return nullptr;
}

Reason read_time(Cursor& cursor, std::int64_t& micros) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  int fraction = 0;
  if (!cursor.take_two(hour) || !cursor.take(':') || !cursor.take_two(minute)) return no_time;
  if (cursor.take(':')) {
    if (!cursor.take_two(second)) return no_time;
    if (cursor.take('.')) {
      if (const Reason reason = read_fraction(cursor, fraction)) return reason;
    }
  }
  if (hour > 23) return "has an hour after 23";
  if (minute > 59) return "has a minute after 59";
  if (second > 59) return "has a second after 59";
  micros = hour * micros_per_hour + minute * micros_per_minute + second * micros_per_second + fraction;
  return nullptr;
}

bool begins_zone(const Cursor& cursor) {
  const char c = cursor.peek();
  return c == '+' || c == '-' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// What follows the time of day, up to the end.
Reason read_zone(Cursor& cursor, std::int64_t& offset) {
  cursor.take(' ');
  if (cursor.take('Z') || cursor.take('z')) {
    offset = 0;
    return cursor.at_end() ? nullptr : no_such_zone;
  }
  const bool west = cursor.peek() == '-';
  if (!cursor.take('+') && !cursor.take('-')) {
    if (begins_zone(cursor)) return "names a time zone, only Z and offsets as +02:00 are taken";
    return no_such_zone;
  }
  int hours = 0;
  int minutes = 0;
  if (!cursor.take_two(hours)) return no_such_zone;
  if (!cursor.at_end()) {
    cursor.take(':');
    if (!cursor.take_two(minutes)) return no_such_zone;
  }
  if (!cursor.at_end() || hours > 15 || minutes > 59) return no_such_zone;
  offset = hours * micros_per_hour + minutes * micros_per_minute;
  if (west) offset = -offset;
  return nullptr;
}

Reason read_date_and_time(Cursor& cursor, std::int64_t& micros) {
  std::int64_t days = 0;
  std::int64_t time = 0;
  if (const Reason reason = read_date(cursor, days)) return reason == no_date ? no_timestamp : reason;
  if (cursor.at_end()) return "has no time of day";
  if (!cursor.take(' ') && !cursor.take('T') && !cursor.take('t')) return no_timestamp;
  if (const Reason reason = read_time(cursor, time)) return reason == no_time ? no_timestamp : reason;
  micros = days * micros_per_day + time;
  return nullptr;
}

// Of a value that has none: what is left after it.
Reason refuse_rest(Cursor& cursor, Reason zoned, Reason other) {
  cursor.take(' ');
  return begins_zone(cursor) ? zoned : other;
}

Refusal finish(RowBatch& batch, Reason reason, std::int64_t value, std::string_view text) {
  if (reason == nullptr) {
    batch.append_int(value);
    return {};
  }
  return is_infinite(text) ? "is infinite, only years 1 to 9999 are taken" : reason;
}

}  // namespace

Refusal append_date(RowBatch& batch, std::string_view text) {
  Cursor cursor(text);
  std::int64_t days = 0;
  Reason reason = read_date(cursor, days);
  if (reason == nullptr && !cursor.at_end()) reason = "has something after the date";
  return finish(batch, reason, days, text);
}

Refusal append_time(RowBatch& batch, std::string_view text) {
  Cursor cursor(text);
  std::int64_t micros = 0;
  Reason reason = read_time(cursor, micros);
  if (reason == nullptr && !cursor.at_end()) reason = refuse_rest(cursor, "has a time zone, time has none", no_time);
  return finish(batch, reason, micros, text);
}

Refusal append_timestamp(RowBatch& batch, std::string_view text) {
  Cursor cursor(text);
  std::int64_t micros = 0;
  Reason reason = read_date_and_time(cursor, micros);
  if (reason == nullptr && !cursor.at_end()) {
    reason = refuse_rest(cursor, "has a time zone, timestamp has none", no_timestamp);
  }
  return finish(batch, reason, micros, text);
}

Refusal append_timestamptz(RowBatch& batch, std::string_view text) {
  Cursor cursor(text);
  std::int64_t micros = 0;
  Reason reason = read_date_and_time(cursor, micros);
  if (reason == nullptr) {
    std::int64_t offset = 0;
    // Any zone taken for granted would shift the value for whoever meant another.
    reason = cursor.at_end() ? "has no time zone, timestamptz needs one (Z, or an offset as +02:00)"
                             : read_zone(cursor, offset);
    micros -= offset;
    if (reason == nullptr && (micros < min_micros || micros > max_micros)) {
      reason = "lies outside of the years 1 to 9999 in UTC";
    }
  }
  return finish(batch, reason, micros, text);
}

}  // namespace xasink::schema
