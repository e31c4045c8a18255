// From counts to rates.
#pragma once

#include <chrono>
#include <deque>

#include "src/job/job_runner.hpp"
#include "src/telemetry/progress_text.hpp"

namespace xasink::telemetry {

/// Rates over the last few seconds. Not thread-safe. Knows no clock of its own.
class ProgressMeter {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// \pre `now` never goes back
  [[nodiscard]] ProgressFigures update(TimePoint now, const job::JobProgress& progress);

 private:
  struct Sample {
    TimePoint at;
    std::uint64_t rows = 0;
    std::uint64_t source = 0;
  };

  std::deque<Sample> samples_;
};

}  // namespace xasink::telemetry
