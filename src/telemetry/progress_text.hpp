// Figures as people read them. Pure functions, printable ASCII only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xasink::telemetry {

/// What a progress line tells.
struct ProgressFigures {
  std::uint64_t rows_read = 0;
  std::uint64_t rows_committed = 0;
  std::uint64_t checkpoint = 0;  ///< last committed, 0 if there is none
  unsigned in_flight = 0;
  std::optional<double> rows_per_second;     ///< read, over the last few seconds
  std::optional<double> share;               ///< of the input, 0 to 1
  std::optional<std::chrono::seconds> left;  ///< until the end of the input
};

/// `1,234,567`
[[nodiscard]] std::string with_thousands(std::uint64_t number);
/// `3.5 rows/s`, `98,765 rows/s`
[[nodiscard]] std::string rate_text(double rows_per_second);
/// `850 ms`, `12.3 s`, `3 min 05 s`, `2 h 04 min`, `3 d 04 h`; the last unit is cut, not rounded
[[nodiscard]] std::string duration_text(std::chrono::milliseconds duration);
/// `1 branch`, `1,234 branches`
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one, std::string_view many);
/// `orders: 1,234,567 rows read, 1,200,000 committed, 98,765 rows/s, checkpoint 12, 1 in flight, 45.2 %, 12 s left`
[[nodiscard]] std::string progress_text(std::string_view job, const ProgressFigures& figures);

}  // namespace xasink::telemetry
