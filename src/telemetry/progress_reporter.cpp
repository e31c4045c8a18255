#include "src/telemetry/progress_reporter.hpp"

namespace xasink::telemetry {
namespace {

constexpr std::chrono::seconds kPlainEvery{10};

spdlog::level::level_enum level_of(RecoveredBranch::Action action) noexcept {
  using Action = RecoveredBranch::Action;
  switch (action) {
    case Action::committed:
    case Action::already_committed:
    case Action::rolled_back: return spdlog::level::info;
    case Action::left: return spdlog::level::warn;
    case Action::in_doubt:
    case Action::lost:
    case Action::failed: return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace

ProgressReporter::ProgressReporter(std::string job, Telemetry telemetry, const std::atomic<bool>& stop, bool quiet)
    : job_(std::move(job)), telemetry_(std::move(telemetry)), stop_(stop), quiet_(quiet) {}

ProgressReporter::~ProgressReporter() { telemetry_.console->show_progress({}); }

void ProgressReporter::recovered(const txn::JobRecovery& recovery) {
  for (const RecoveredBranch& branch : recovery.report.branches) tell_branch("recovery", branch);
  if (!recovery.report.clean()) return;  // the error that ends the job says the rest
  if (recovery.restart) {
    telemetry_.log->info("job {} recovered: epoch {}, its last checkpoint is {}", job_, recovery.identity.epoch,
                         recovery.restart->checkpoint);
  } else {
    telemetry_.log->info("job {} begins at the start of its source: epoch {}", job_, recovery.identity.epoch);
  }
}

void ProgressReporter::going_back(const Error& why, std::chrono::milliseconds wait) {
  telemetry_.log->warn("going back to the last checkpoint in {}: {}", duration_text(wait), why.what());
}

void ProgressReporter::progress(const job::JobProgress& progress) {
  if (stop_ && !stop_told_) {
    stop_told_ = true;
    telemetry_.log->info("asked to stop: taking a last checkpoint; asking again ends the process at once");
  }
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  const ProgressFigures figures = meter_.update(now, progress);
  if (telemetry_.console->is_terminal()) {
    telemetry_.console->show_progress(progress_text(job_, figures));
    return;
  }
  if (!last_line_) last_line_ = now;
  if (now - *last_line_ < kPlainEvery) return;
  last_line_ = now;
  telemetry_.log->info("{}", progress_text(job_, figures));
}

void ProgressReporter::checkpoint_committed(std::uint64_t checkpoint, std::uint64_t rows,
                                            std::chrono::milliseconds since_barrier) {
  telemetry_.log->debug("checkpoint {} committed: {}, {} after its barrier", checkpoint, counted(rows, "row", "rows"),
                        duration_text(since_barrier));
}

void ProgressReporter::branch_swept(const RecoveredBranch& branch) { tell_branch("sweep", branch); }

void ProgressReporter::upkeep_failed(const std::string& why) { telemetry_.log->warn("upkeep failed: {}", why); }

void ProgressReporter::tell_branch(std::string_view who, const RecoveredBranch& branch) const {
  telemetry_.log->log(level_of(branch.action), "{}: branch {} at {}: {}: {}", who, branch.xid, branch.resource,
                      to_string(branch.action), branch.reason);
}

}  // namespace xasink::telemetry
