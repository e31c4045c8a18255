// PostgreSQL's binary forms of single values, big-endian. Pure functions; golden tests pin the bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace xasink::postgresql {

static_assert(std::endian::native == std::endian::little, "the stores below swap bytes");

/// Stores an integer in network order. \returns the place behind it
template <typename T>
inline char* store(char* out, T value) noexcept {
  auto bits = static_cast<std::make_unsigned_t<T>>(value);
  if constexpr (sizeof(T) == 2) bits = __builtin_bswap16(bits);
  if constexpr (sizeof(T) == 4) bits = __builtin_bswap32(bits);
  if constexpr (sizeof(T) == 8) bits = __builtin_bswap64(bits);
  std::memcpy(out, &bits, sizeof bits);
  return out + sizeof bits;
}

/// The server counts days and microseconds from 2000-01-01.
inline constexpr std::int64_t kEpochDays = 10'957;
inline constexpr std::int64_t kEpochMicros = kEpochDays * 86'400'000'000;
/// 4714-11-24 BC, the first day the server knows, and the last day of a date, both in days since 1970-01-01.
inline constexpr std::int64_t kFirstDay = -2'440'588;
inline constexpr std::int64_t kLastDay = 2'145'042'905;
/// The same first day in microseconds; the server's last timestamp lies beyond what 64 bits count from 1970.
inline constexpr std::int64_t kFirstMicros = kFirstDay * 86'400'000'000;

/// Limits of numeric: digits before and after the point.
inline constexpr std::size_t kNumericInteger = 131'072;
inline constexpr std::size_t kNumericFraction = 16'383;

/// Room that store_numeric may need for a text of this length.
constexpr std::size_t numeric_bound(std::size_t length) noexcept { return 16 + length; }

/// Stores a numeric without its length word. \param text canonical: `-?digits(.digits)?`, within the limits above
/// \returns the place behind it
char* store_numeric(char* out, std::string_view text) noexcept;

/// Digits before and after the point of canonical text; the significant ones are without zeros at the outer ends.
struct NumericShape {
  std::size_t significant_integer = 0;
  std::size_t fraction = 0;
  std::size_t significant_fraction = 0;
};
[[nodiscard]] NumericShape numeric_shape(std::string_view text) noexcept;

}  // namespace xasink::postgresql
