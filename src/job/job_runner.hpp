// A stand-alone job from its first recovery to its last checkpoint.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "config/job_config.hpp"
#include "src/sources/source.hpp"
#include "txn/coordinator.hpp"
#include "xasink/error.hpp"

namespace xasink::job {

/// What a running job looks like now.
struct JobProgress {
  std::uint64_t rows_read = 0;       ///< since the process started; counts again what is read again
  std::uint64_t rows_committed = 0;  ///< since the process started
  std::uint64_t checkpoint = 0;      ///< last committed
  unsigned in_flight = 0;
  std::optional<sources::Source::Progress> source;
};

/// Hears what happens. checkpoint_committed, branch_swept and upkeep_failed come on another thread than the rest.
class JobObserver : public txn::CoordinatorObserver {
 public:
  virtual void recovered(const txn::JobRecovery& recovery) = 0;
  virtual void going_back(const Error& why, std::chrono::milliseconds wait) = 0;
  virtual void progress(const JobProgress& progress) = 0;  ///< several times a second
};

struct JobResult {
  std::uint64_t rows = 0;        ///< committed by this process
  std::uint64_t checkpoint = 0;  ///< last committed, 0 if there is none
  bool stopped = false;          ///< by a stop request, not by the end of the input
};

/// Runs the job until its source ends or `stop` is set; then takes a final checkpoint. Errors that may pass take it
/// back to its last decision, inside this process, until the retry policy's limit has passed without a committed
/// checkpoint. Dies anywhere: run it again. \throws Error: what ended the job. What was decided is committed then or
/// will be by the next run; nothing else is visible
JobResult run_job(const config::JobConfig& config, const DriverRegistry& drivers, const std::atomic<bool>& stop,
                  JobObserver& observer);

}  // namespace xasink::job
