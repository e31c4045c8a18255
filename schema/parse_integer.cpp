#include <array>
#include <limits>
#include <optional>

#include "schema/parsers.hpp"

namespace xasink::schema {
namespace {

// The largest magnitudes of a kind, above and below zero.
struct Range {
  std::uint64_t below;
  std::uint64_t above;
};

template <typename Int>
constexpr Range range_of() {
  using Limits = std::numeric_limits<Int>;
  return {Limits::is_signed ? static_cast<std::uint64_t>(Limits::max()) + 1 : 0,
          static_cast<std::uint64_t>(Limits::max())};
}

// In the order of TypeKind.
constexpr std::array<Range, 8> ranges{range_of<std::int8_t>(),   range_of<std::int16_t>(), range_of<std::int32_t>(),
                                      range_of<std::int64_t>(),  range_of<std::uint8_t>(), range_of<std::uint16_t>(),
                                      range_of<std::uint32_t>(), range_of<std::uint64_t>()};
static_assert(static_cast<int>(TypeKind::int8) == 0 && static_cast<int>(TypeKind::uint8) == 4 &&
              static_cast<int>(TypeKind::uint64) == 7);

Refusal out_of_range(TypeKind kind, const Range& range) {
  std::string reason = "is out of range for " + to_string(ColumnType{kind}) + " (";
  if (range.below > 0) reason += '-';
  return reason + std::to_string(range.below) + " to " + std::to_string(range.above) + ')';
}

enum class Scan : std::uint8_t { number, too_large, not_digits };

Scan scan_digits(std::string_view digits, std::uint64_t& value) {
  constexpr std::size_t safe_digits = std::numeric_limits<std::uint64_t>::digits10;  // so many can't overflow
  value = 0;
  if (digits.empty()) return Scan::not_digits;
  if (digits.size() <= safe_digits) {
    unsigned worst = 0;
    for (const char c : digits) {
      const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
      worst = digit > worst ? digit : worst;
      value = value * 10 + digit;
    }
    return worst <= 9 ? Scan::number : Scan::not_digits;
  }
  bool overflow = false;
  for (const char c : digits) {
    if (c < '0' || c > '9') return Scan::not_digits;
    std::uint64_t next = 0;
    overflow |= __builtin_mul_overflow(value, std::uint64_t{10}, &next);
    overflow |= __builtin_add_overflow(next, static_cast<std::uint64_t>(c - '0'), &value);
  }
  return overflow ? Scan::too_large : Scan::number;
}

}  // namespace

Refusal append_integer(RowBatch& batch, TypeKind kind, std::string_view text) {
  const bool negative = text.front() == '-';
  std::string_view digits = text;
  if (negative || text.front() == '+') digits.remove_prefix(1);

  const Range& range = ranges[static_cast<std::size_t>(kind)];
  std::uint64_t magnitude = 0;
  switch (scan_digits(digits, magnitude)) {
    case Scan::not_digits: return "is not an integer";
    case Scan::too_large: return out_of_range(kind, range);
    case Scan::number: break;
  }
  if (magnitude > (negative ? range.below : range.above)) return out_of_range(kind, range);
  if (kind == TypeKind::uint64) {
    batch.append_uint(magnitude);  // "-0" is the only negative text that gets here
  } else {
    // Negated as unsigned, so that -2^63 needs no case of its own.
    batch.append_int(static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude));
  }
  return {};
}

}  // namespace xasink::schema
