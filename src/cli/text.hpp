// Small pieces of text that several commands print.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace xasink::cli {

using Time = std::chrono::system_clock::time_point;

/// `2026-05-01T12:00:00.123Z`
[[nodiscard]] std::string utc_text(Time time);
/// What others wrote, safe for a terminal: control characters and bytes outside ASCII as `\xNN`.
[[nodiscard]] std::string printable(std::string_view bytes);

}  // namespace xasink::cli
