// Durations of a job file: `500ms`, `1s`, `5m`, `2h`.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "config/quantity.hpp"

namespace xasink::config {

inline constexpr std::string_view duration_hint =
    "write a whole number and one of the units ms, s, m, h, such as `500ms` or `30s`";

[[nodiscard]] Parsed<std::chrono::milliseconds> parse_duration(std::string_view text);
/// The shortest exact spelling that parse_duration takes back. \pre duration >= 0
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

}  // namespace xasink::config
