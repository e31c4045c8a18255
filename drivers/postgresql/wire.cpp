#include "drivers/postgresql/wire.hpp"

#include <algorithm>

namespace xasink::postgresql {

NumericShape numeric_shape(std::string_view text) noexcept {
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto point = std::min(text.find('.'), text.size());
  NumericShape shape;
  shape.significant_integer = text.starts_with('0') ? 0 : point;  // canonical: a zero in front stands alone
  if (point < text.size()) {
    shape.fraction = text.size() - point - 1;
    shape.significant_fraction = text.find_last_not_of('0') - point;
  }
  return shape;
}

// Groups of four decimal digits counted from the point to both sides; groups of zeros at either end are left out, and
// `weight` says which power of 10,000 the first group stands for.
char* store_numeric(char* out, std::string_view text) noexcept {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const void* const found = std::memchr(text.data(), '.', text.size());
  const char* const point = found != nullptr ? static_cast<const char*>(found) : end;
  const auto scale = point == end ? 0 : end - point - 1;
  const auto integer = point - text.data();

  auto weight = (integer + 3) / 4 - 1;
  char* const groups = out + 8;
  char* next = groups;
  char* kept = groups;  // behind the last group that is not zero
  const auto put = [&](int group) {
    if (group == 0 && next == groups) {
      --weight;
      return;
    }
    next = store(next, static_cast<std::int16_t>(group));
    if (group != 0) kept = next;
  };

  const char* in = text.data();
  for (auto width = integer % 4 == 0 ? 4 : integer % 4; in < point; width = 4) {
    int group = 0;
    for (auto i = width; i > 0; --i) group = group * 10 + (*in++ - '0');
    put(group);
  }
  if (point != end) {
    ++in;
    while (in < end) {
      int group = 0;
      for (int i = 0; i < 4; ++i) group = group * 10 + (in < end ? *in++ - '0' : 0);
      put(group);
    }
  }
  const bool zero = kept == groups;
  char* header = store(out, static_cast<std::uint16_t>((kept - groups) / 2));
  header = store(header, static_cast<std::int16_t>(zero ? 0 : weight));
  header = store(header, static_cast<std::uint16_t>(negative && !zero ? 0x4000 : 0));
  store(header, static_cast<std::uint16_t>(scale));
  return kept;
}

}  // namespace xasink::postgresql
