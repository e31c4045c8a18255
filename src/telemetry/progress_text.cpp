#include "src/telemetry/progress_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xasink::telemetry {

std::string with_thousands(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string rate_text(double rows_per_second) {
  if (!std::isfinite(rows_per_second) || rows_per_second < 0) return "? rows/s";
  if (rows_per_second < 10) return fmt::format("{:.1f} rows/s", rows_per_second);
  return with_thousands(static_cast<std::uint64_t>(std::min(rows_per_second, 1e18))) + " rows/s";
}

std::string duration_text(std::chrono::milliseconds duration) {
  const std::int64_t millis = std::max<std::int64_t>(duration.count(), 0);
  const std::int64_t seconds = millis / 1000;
  if (millis < 1000) return fmt::format("{} ms", millis);
  if (seconds < 60) {
    const std::int64_t tenths = millis % 1000 / 100;
    return tenths == 0 ? fmt::format("{} s", seconds) : fmt::format("{}.{} s", seconds, tenths);
  }
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  if (seconds < 86'400) return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
  return fmt::format("{} d {:02} h", seconds / 86'400, seconds / 3600 % 24);
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return with_thousands(number).append(" ").append(number == 1 ? one : many);
}

std::string progress_text(std::string_view job, const ProgressFigures& figures) {
  std::string text = fmt::format("{}: {} read, {} committed", job, counted(figures.rows_read, "row", "rows"),
                                 with_thousands(figures.rows_committed));
  if (figures.rows_per_second) text += ", " + rate_text(*figures.rows_per_second);
  if (figures.checkpoint > 0) text += fmt::format(", checkpoint {}", figures.checkpoint);
  if (figures.in_flight > 0) text += fmt::format(", {} in flight", figures.in_flight);
  if (figures.share) {
    // Cut, so that 100 % is said only when everything was read.
    const auto tenths = static_cast<int>(std::clamp(*figures.share, 0.0, 1.0) * 1000);
    text += fmt::format(", {}.{} %", tenths / 10, tenths % 10);
  }
  if (figures.left) text += ", " + duration_text(*figures.left) + " left";
  return text;
}

}  // namespace xasink::telemetry
