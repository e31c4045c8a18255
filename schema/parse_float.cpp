#include <fast_float/fast_float.h>

#include <cmath>
#include <system_error>

#include "schema/parsers.hpp"

namespace xasink::schema {
namespace {

// True if a digit before the exponent is not zero. Exact for anything that was parsed as a number.
bool has_nonzero_digit(std::string_view number) {
  for (const char c : number) {
    if (c == 'e' || c == 'E') return false;
    if (c >= '1' && c <= '9') return true;
  }
  return false;
}

template <typename Float>
Refusal append_as(RowBatch& batch, TypeKind kind, std::string_view text) {
  // fast_float takes no '+'; it takes "nan" and "inf", which can only begin with a letter.
  std::string_view number = text;
  if (number.front() == '+') number.remove_prefix(1);
  const std::string_view unsigned_part = text.front() == '-' ? number.substr(1) : number;
  if (unsigned_part.empty() ||
      (unsigned_part.front() != '.' && (unsigned_part.front() < '0' || unsigned_part.front() > '9'))) {
    return refuse_number(text);
  }
  Float value = 0;
  const auto [stop, error] = fast_float::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc::invalid_argument || stop != number.data() + number.size()) return refuse_number(text);
  // Versions of fast_float differ in whether they report overflow and underflow, not in the value they give then.
  if (!std::isfinite(value)) return "is too large for " + to_string(ColumnType{kind});
  if (value == 0 && has_nonzero_digit(number)) return "is too close to zero for " + to_string(ColumnType{kind});
  batch.append_double(static_cast<double>(value));
  return {};
}

}  // namespace

Refusal append_float(RowBatch& batch, TypeKind kind, std::string_view text) {
  return kind == TypeKind::float32 ? append_as<float>(batch, kind, text) : append_as<double>(batch, kind, text);
}

Refusal refuse_number(std::string_view text) {
  std::string_view word = text;
  if (!word.empty() && (word.front() == '+' || word.front() == '-')) word.remove_prefix(1);
  if (is_word(word, "nan")) return "is NaN, only finite numbers are taken";
  if (is_word(word, "infinity") || is_word(word, "inf")) return "is infinite, only finite numbers are taken";
  return "is not a number";
}

}  // namespace xasink::schema
