// Decimals stay text: they are put into canonical form, never through a binary number.
#include <algorithm>
#include <optional>

#include "schema/parsers.hpp"

namespace xasink::schema {
namespace {

// PostgreSQL's bounds of numeric, the widest of all servers.
constexpr std::int64_t most_whole_digits = 131'072;
constexpr std::int64_t most_fraction_digits = 16'383;

struct Number {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::int64_t exponent = 0;
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(const char*& at, const char* end) {
  const char* const start = at;
  while (at != end && is_digit(*at)) ++at;
  return {start, static_cast<std::size_t>(at - start)};
}

std::optional<Number> scan(std::string_view text) {
  Number number;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (*at == '-' || *at == '+') number.negative = *at++ == '-';
  number.whole = take_digits(at, end);
  if (at != end && *at == '.') {
    ++at;
    number.fraction = take_digits(at, end);
    if (number.fraction.empty()) return std::nullopt;
  } else if (number.whole.empty()) {
    return std::nullopt;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    const bool below = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    const std::string_view digits = take_digits(at, end);
    if (digits.empty()) return std::nullopt;
    // Saturates far beyond every bound; more can't matter, as a text is shorter than 2^32.
    constexpr std::int64_t enough = std::int64_t{1} << 40;
    for (const char c : digits) number.exponent = std::min(number.exponent * 10 + (c - '0'), enough);
    if (below) number.exponent = -number.exponent;
  }
  if (at != end) return std::nullopt;
  return number;
}

bool all_zeros(std::string_view digits) { return digits.find_first_not_of('0') == std::string_view::npos; }

Refusal too_many(std::int64_t digits, const char* where, const ColumnType& type, std::int64_t takes) {
  return "has " + std::to_string(digits) + (digits == 1 ? " digit " : " digits ") + where + " the point, " +
         to_string(type) + " takes " + std::to_string(takes);
}

std::int64_t whole_bound(const ColumnType& type) {
  return type.precision > 0 ? type.precision - type.scale : most_whole_digits;
}
std::int64_t fraction_bound(const ColumnType& type) { return type.precision > 0 ? type.scale : most_fraction_digits; }

// How many of the digits count against the scale: with a declared scale, zeros at the end say nothing.
std::size_t counted_digits(std::string_view digits, const ColumnType& type) {
  return type.precision > 0 ? digits.find_last_not_of('0') + 1 : digits.size();
}

// Writes the number out without its exponent into `digits`; `number` then looks into it. Bounds are checked before
// anything is written, as a few characters of exponent can ask for gigabytes.
Refusal expand(Number& number, const ColumnType& type, std::string& digits) {
  digits.assign(number.whole).append(number.fraction);
  const auto all = static_cast<std::int64_t>(digits.size());
  std::int64_t point = static_cast<std::int64_t>(number.whole.size()) + number.exponent;  // digits before the point

  const std::size_t first = digits.find_first_not_of('0');
  if (first == std::string::npos) {
    // Zero: the exponent says no more than how many zeros follow the point.
    std::int64_t zeros = std::max<std::int64_t>(all - point, 0);
    if (type.precision > 0) zeros = std::min(zeros, fraction_bound(type));
    if (zeros > fraction_bound(type)) return too_many(zeros, "after", type, fraction_bound(type));
    point = 1;
    digits.assign(static_cast<std::size_t>(point + zeros), '0');
  } else {
    const std::int64_t whole = point - static_cast<std::int64_t>(first);
    if (whole > whole_bound(type)) return too_many(whole, "before", type, whole_bound(type));
    const auto counted = static_cast<std::int64_t>(counted_digits(digits, type));
    if (counted - point > fraction_bound(type)) return too_many(counted - point, "after", type, fraction_bound(type));
    if (point > all) digits.append(static_cast<std::size_t>(point - all), '0');
    if (point < 0) digits.insert(0, static_cast<std::size_t>(-point), '0');
    point = std::max<std::int64_t>(point, 0);
  }
  const std::string_view view = digits;
  number.whole = view.substr(0, static_cast<std::size_t>(point));
  number.fraction = view.substr(static_cast<std::size_t>(point));
  return {};
}

}  // namespace

Refusal append_decimal(RowBatch& batch, const ColumnType& type, std::string_view text) {
  thread_local std::string digits;     // room for an exponent written out
  thread_local std::string canonical;  // room for a text that differs from what was given

  auto number = scan(text);
  if (!number) return refuse_number(text);
  const bool expanded = number->exponent != 0;
  if (expanded) {
    Refusal refusal = expand(*number, type, digits);
    if (!refusal.empty()) return refusal;
  }

  std::string_view whole = number->whole;
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  const auto whole_digits = static_cast<std::int64_t>(whole == "0" ? 0 : whole.size());
  if (whole_digits > whole_bound(type)) return too_many(whole_digits, "before", type, whole_bound(type));

  std::string_view fraction = number->fraction;
  if (const std::int64_t bound = fraction_bound(type); static_cast<std::int64_t>(fraction.size()) > bound) {
    const auto counted = static_cast<std::int64_t>(counted_digits(fraction, type));
    if (counted > bound) return too_many(counted, "after", type, bound);
    fraction = fraction.substr(0, static_cast<std::size_t>(bound));
  }

  const bool negative = number->negative && !(all_zeros(whole) && all_zeros(fraction));
  // What was given nearly always is canonical, or a part of it is: then it is copied once, straight into the batch.
  if (!expanded && !whole.empty() && (!negative || whole.data() == text.data() + 1)) {
    const char* const start = whole.data() - (negative ? 1 : 0);
    const char* const end = fraction.empty() ? whole.data() + whole.size() : fraction.data() + fraction.size();
    batch.append_bytes({start, static_cast<std::size_t>(end - start)});
    return {};
  }
  canonical.assign(negative ? "-" : "").append(whole.empty() ? std::string_view("0") : whole);
  if (!fraction.empty()) canonical.append(1, '.').append(fraction);
  batch.append_bytes(canonical);
  return {};
}

}  // namespace xasink::schema
