// Days and microseconds since 1970-01-01 to calendar text and back, proleptic Gregorian, years 0001 to 9999.
//
// Pure functions, thread-safe. The format functions write to the caller's buffer, without a terminating zero, and
// return the end of what they wrote; nothing is allocated.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace xasink::schema {

inline constexpr std::int64_t micros_per_second = 1'000'000;
inline constexpr std::int64_t micros_per_minute = 60 * micros_per_second;
inline constexpr std::int64_t micros_per_hour = 60 * micros_per_minute;
inline constexpr std::int64_t micros_per_day = 24 * micros_per_hour;

struct CivilDate {
  int year = 1970;     ///< 1 to 9999
  unsigned month = 1;  ///< 1 to 12
  unsigned day = 1;    ///< 1 to 31

  friend constexpr bool operator==(const CivilDate&, const CivilDate&) = default;
};

/// True for a day the calendar has, in the years 1 to 9999.
[[nodiscard]] constexpr bool is_valid(const CivilDate& date) noexcept {
  using namespace std::chrono;
  return date.year >= 1 && date.year <= 9999 && year_month_day{year{date.year}, month{date.month}, day{date.day}}.ok();
}

/// Days since 1970-01-01. \pre is_valid(date)
[[nodiscard]] constexpr std::int64_t days_from_civil(const CivilDate& date) noexcept {
  using namespace std::chrono;
  return sys_days{year_month_day{year{date.year}, month{date.month}, day{date.day}}}.time_since_epoch().count();
}

inline constexpr std::int64_t min_days = days_from_civil({1, 1, 1});
inline constexpr std::int64_t max_days = days_from_civil({9999, 12, 31});
inline constexpr std::int64_t min_micros = min_days * micros_per_day;
inline constexpr std::int64_t max_micros = (max_days + 1) * micros_per_day - 1;

/// Inverse of days_from_civil. \pre min_days <= days <= max_days
[[nodiscard]] constexpr CivilDate civil_from_days(std::int64_t days) noexcept {
  using namespace std::chrono;
  const year_month_day date{sys_days{std::chrono::days{static_cast<std::chrono::days::rep>(days)}}};
  return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())};
}

/// A point in time as its day and the microseconds since that day's midnight, also before 1970.
struct DayAndTime {
  std::int64_t days = 0;
  std::int64_t micros = 0;  ///< 0 to micros_per_day - 1
};
[[nodiscard]] constexpr DayAndTime split_micros(std::int64_t micros) noexcept {
  std::int64_t days = micros / micros_per_day;
  if (micros % micros_per_day < 0) --days;
  return {days, micros - days * micros_per_day};
}

inline constexpr std::size_t date_size = 10;       ///< bytes of YYYY-MM-DD
inline constexpr std::size_t time_size = 15;       ///< bytes of HH:MM:SS.ffffff
inline constexpr std::size_t timestamp_size = 26;  ///< bytes of YYYY-MM-DD HH:MM:SS.ffffff

/// Writes date_size bytes. \throws Error (internal) outside of min_days to max_days; nothing is written then
char* format_date(char* to, std::int64_t days);
/// Writes time_size bytes. \throws Error (internal) outside of 0 to micros_per_day - 1; nothing is written then
char* format_time(char* to, std::int64_t micros);
/// Writes timestamp_size bytes; all six digits always, so the text sorts as the time does and equal times are equal
/// text. \throws Error (internal) outside of min_micros to max_micros; nothing is written then
char* format_timestamp(char* to, std::int64_t micros);

}  // namespace xasink::schema
