#include "config/quantity.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace xasink::config {

Parsed<std::uint64_t> parse_quantity(std::string_view text, std::span<const Unit> units) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range) return {std::nullopt, "is too large"};
  if (error != std::errc{}) return {std::nullopt, "does not begin with a whole number"};

  std::string_view name(rest, static_cast<std::size_t>(end - rest));
  if (name.starts_with('.') || name.starts_with(',')) return {std::nullopt, "is not a whole number"};
  while (name.starts_with(' ')) name.remove_prefix(1);
  if (name.empty()) return {std::nullopt, "has no unit"};
  const auto unit = std::ranges::find(units, name, &Unit::name);
  if (unit == units.end()) return {std::nullopt, "has an unknown unit"};
  if (number > std::numeric_limits<std::uint64_t>::max() / unit->factor) return {std::nullopt, "is too large"};
  return {number * unit->factor, {}};
}

std::string format_quantity(std::uint64_t value, std::span<const Unit> units) {
  const Unit* best = &units.front();
  for (const Unit& unit : units) {
    if (value != 0 && value % unit.factor == 0 && unit.factor > best->factor) best = &unit;
  }
  return std::to_string(value / best->factor) + std::string(best->name);
}

}  // namespace xasink::config
