// Tells people what a running job does.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "src/job/job_runner.hpp"
#include "src/telemetry/logging.hpp"
#include "src/telemetry/progress_meter.hpp"

namespace xasink::telemetry {

/// On a terminal one progress line, rewritten in place; elsewhere a plain line every ten seconds. Events are log lines
/// in both cases. Thread-safe as JobObserver asks for.
class ProgressReporter final : public job::JobObserver {
 public:
  /// \param stop the job's stop flag, watched for a log line; it outlives the reporter
  /// \param quiet no progress
  ProgressReporter(std::string job, Telemetry telemetry, const std::atomic<bool>& stop, bool quiet);
  ~ProgressReporter() override;

  void recovered(const txn::JobRecovery& recovery) override;
  void going_back(const Error& why, std::chrono::milliseconds wait) override;
  void progress(const job::JobProgress& progress) override;
  void checkpoint_committed(std::uint64_t checkpoint, std::uint64_t rows,
                            std::chrono::milliseconds since_barrier) override;
  void branch_swept(const RecoveredBranch& branch) override;
  void upkeep_failed(const std::string& why) override;

 private:
  void tell_branch(std::string_view who, const RecoveredBranch& branch) const;

  const std::string job_;
  const Telemetry telemetry_;
  const std::atomic<bool>& stop_;
  const bool quiet_;
  // Of the job's thread alone.
  ProgressMeter meter_;
  std::optional<ProgressMeter::TimePoint> last_line_;
  bool stop_told_ = false;
};

}  // namespace xasink::telemetry
