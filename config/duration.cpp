#include "config/duration.hpp"

#include <array>
#include <limits>

namespace xasink::config {
namespace {

constexpr std::array<Unit, 4> units{{{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}}};

}  // namespace

Parsed<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto [count, problem] = parse_quantity(text, units);
  if (!count) return {std::nullopt, problem};
  if (*count > static_cast<std::uint64_t>(std::numeric_limits<std::chrono::milliseconds::rep>::max())) {
    return {std::nullopt, "is too large"};
  }
  return {std::chrono::milliseconds{static_cast<std::chrono::milliseconds::rep>(*count)}, {}};
}

std::string format_duration(std::chrono::milliseconds duration) {
  return format_quantity(static_cast<std::uint64_t>(duration.count()), units);
}

}  // namespace xasink::config
