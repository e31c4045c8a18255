// A whole number with a unit: what durations and byte sizes have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace xasink::config {

/// A value, or what is wrong with the text, to be put behind "which ". Never quotes the text: it may be a secret.
template <typename T>
struct Parsed {
  std::optional<T> value;
  std::string_view problem;
};

struct Unit {
  std::string_view name;
  std::uint64_t factor;  ///< how many of the smallest unit it is
};

/// Reads `<whole number><unit>`; blanks between the two are allowed. Nothing is rounded and nothing overflows.
[[nodiscard]] Parsed<std::uint64_t> parse_quantity(std::string_view text, std::span<const Unit> units);

/// The value in the last of the units that divides it. \pre units grow, and the first has factor 1
[[nodiscard]] std::string format_quantity(std::uint64_t value, std::span<const Unit> units);

}  // namespace xasink::config
