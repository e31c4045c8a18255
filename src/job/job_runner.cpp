#include "src/job/job_runner.hpp"

#include <algorithm>
#include <thread>

#include "src/job/job_targets.hpp"
#include "src/sources/make_source.hpp"
#include "txn/backoff.hpp"
#include "txn/log/sqlite_log.hpp"

namespace xasink::job {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t kBatchRows = 4096;
constexpr milliseconds kLookUp{100};  // how often the loop looks at stop requests and tells its progress
constexpr milliseconds kOverdue{5};   // and how often at a checkpoint that is due and can't begin yet

[[noreturn]] void throw_unclean(const RecoveryReport& report) {
  using Action = RecoveredBranch::Action;
  for (const RecoveredBranch& branch : report.branches) {
    ErrorDetails details;
    details.xid = branch.xid;
    const std::string what = "branch " + branch.xid + " at " + branch.resource;
    switch (branch.action) {
      case Action::committed:
      case Action::already_committed:
      case Action::rolled_back:
      case Action::left: continue;
      case Action::in_doubt:
        details.category = Category::in_doubt;
        details.retryable = true;
        details.hint = "see to it that the server can be reached; the branch is decided and will be committed";
        throw Error(what + " is decided, but can't be committed yet: " + branch.reason, details);
      case Action::lost:
        details.category = Category::lost;
        details.hint =
            "something rolled it back after the decision; its rows are missing. Keep the log and call an operator";
        throw Error(what + " is decided, but lost: " + branch.reason, details);
      case Action::failed:
        details.category = Category::in_doubt;
        details.hint = "remove the cause, then run the job again; the branch is decided and waits until then";
        throw Error(what + " is decided, but can't be committed: " + branch.reason, details);
    }
  }
  throw Error(Category::internal, "recovery was not clean, but no branch says why");
}

// One process's run of a job, over as many incarnations as it takes.
class JobRun {
 public:
  JobRun(const config::JobConfig& config, const DriverRegistry& drivers, const std::atomic<bool>& stop,
         JobObserver& observer)
      : config_(config),
        drivers_(drivers),
        stop_(stop),
        observer_(observer),
        log_(txn::open_sqlite_log(config.log_path, config.job, txn::LogAccess::exclusive)) {}

  JobResult run() {
    txn::Backoff backoff(config_.retry);
    for (;;) {
      const std::uint64_t before = result_.checkpoint;
      try {
        run_incarnation();
        return result_;
      } catch (const Error& error) {
        if (result_.checkpoint > before) backoff.reset();  // it got on since
        const auto wait = error.retryable() && !stop_ ? backoff.next() : std::nullopt;
        if (!wait) {
          settle(error);
          throw;
        }
        observer_.going_back(error, *wait);
        sleep(*wait);
      }
    }
  }

 private:
  void run_incarnation() {
    loading_ = false;
    const txn::Targets targets = open_targets(config_, drivers_);
    // Before the epoch is raised: what preflight refuses must change nothing.
    for (const auto& target : targets) static_cast<void>(target->writing_resource());
    const auto schema = open_table(config_.targets.front(), drivers_);
    const auto source = sources::make_source(config_.source);
    source->bind(schema);

    const auto recovery = txn::recover_job(*log_, targets, txn::ids_to_reserve(config_.checkpoint.max_in_flight));
    incarnation_ = {recovery.identity.job, recovery.identity.owner, recovery.identity.epoch};
    result_.rows += recovery.rows;
    observer_.recovered(recovery);
    if (!recovery.report.clean()) throw_unclean(recovery.report);
    loading_ = true;
    if (recovery.restart) {
      source->seek(recovery.restart->position);
      result_.checkpoint = std::max(result_.checkpoint, recovery.restart->checkpoint);
    }

    txn::CoordinatorOptions options;
    options.interval = config_.checkpoint.interval;
    options.rows = config_.checkpoint.rows;
    options.bytes = config_.checkpoint.bytes;
    options.max_in_flight = config_.checkpoint.max_in_flight;
    options.retention = config_.recovery.retention;
    options.sweep = config_.recovery.sweep;
    options.bounds = {config_.branch_rows, config_.branch_bytes};
    const txn::Lane lane{targets.front(), schema, config_.targets.front().writers};
    txn::Coordinator coordinator(*log_, targets, recovery, lane, options, observer_);
    const std::uint64_t committed_before = result_.rows;
    const auto note = [&] {
      const txn::CoordinatorStats stats = coordinator.stats();
      result_.rows = committed_before + stats.rows_committed;
      result_.checkpoint = std::max(result_.checkpoint, stats.checkpoint);
      observer_.progress({rows_read_, result_.rows, result_.checkpoint, stats.in_flight, source->progress()});
    };
    try {
      load(coordinator, *source, note);
    } catch (...) {
      coordinator.stop();  // which may commit one more checkpoint
      note();
      throw;
    }
    note();
  }

  template <typename Note>
  void load(txn::Coordinator& coordinator, sources::Source& source, const Note& note) {
    auto noted = steady_clock::now();
    const auto position = [&source] { return source.position(); };
    RowBatch batch = coordinator.take_batch();
    for (auto result = sources::ReadResult::rows; result != sources::ReadResult::end && !stop_;) {
      auto deadline = steady_clock::now() + kLookUp;
      const auto soon = deadline - kLookUp + kOverdue;
      // One that is overdue waits for a slot: looking for that all the time would only burn the processor.
      if (const auto barrier = coordinator.next_barrier()) deadline = std::min(deadline, std::max(*barrier, soon));
      const auto rows = std::min<std::uint64_t>(kBatchRows, coordinator.rows_wanted());
      result = source.read(batch, rows, deadline);
      if (!batch.empty()) {
        rows_read_ += batch.rows();
        coordinator.write(std::move(batch));
        coordinator.checkpoint_if_due(position);
        batch = coordinator.take_batch();
      } else {
        coordinator.checkpoint_if_due(position);
      }
      if (const auto now = steady_clock::now(); now - noted >= kLookUp) {
        noted = now;
        note();
      }
    }
    result_.stopped = stop_;
    coordinator.finish(source.position());
  }

  // The job ends with an error: what is decided is committed and what is not is rolled back, if the targets can be
  // reached, so that nothing dangles until somebody runs the job again.
  // \throws FencedError, which then is what ended the job, if another process has taken it over
  void settle(const Error& why) {
    // Before an incarnation loads, nothing was begun, or recovery itself is what failed.
    if (why.category() == Category::fenced) return leave_nothing();
    if (!loading_) return;
    try {
      const auto recovery = txn::recover_job(*log_, open_targets(config_, drivers_),
                                             txn::ids_to_reserve(config_.checkpoint.max_in_flight));
      observer_.recovered(recovery);
    } catch (const FencedError&) {
      // That is the reason for whatever came first: a duplicate key, say, of a row that the other has loaded meanwhile.
      leave_nothing();
      throw;
    } catch (const Error& error) {
      observer_.upkeep_failed(std::string("what is left behind will be settled by the next run: ") + error.what());
    }
  }

  void leave_nothing() {
    if (incarnation_.epoch == 0) return;
    try {
      std::vector<RecoveredBranch> swept;
      txn::sweep_after_fence(*log_, open_targets(config_, drivers_), incarnation_, swept);
      for (const RecoveredBranch& branch : swept) observer_.branch_swept(branch);
    } catch (const Error& error) {
      observer_.upkeep_failed(std::string("what this process prepared is left to the other: ") + error.what());
    }
  }

  void sleep(milliseconds time) const {
    const auto until = steady_clock::now() + time;
    while (!stop_ && steady_clock::now() < until) {
      std::this_thread::sleep_for(std::min<steady_clock::duration>(kLookUp, until - steady_clock::now()));
    }
  }

  const config::JobConfig& config_;
  const DriverRegistry& drivers_;
  const std::atomic<bool>& stop_;
  JobObserver& observer_;
  std::unique_ptr<TransactionLog> log_;
  JobResult result_;
  bool loading_ = false;          // the last incarnation came past recovery: it may have left branches
  txn::Incarnation incarnation_;  // the last that took the log over; its epoch is 0 if none has
  std::uint64_t rows_read_ = 0;
};

}  // namespace

JobResult run_job(const config::JobConfig& config, const DriverRegistry& drivers, const std::atomic<bool>& stop,
                  JobObserver& observer) {
  check_target_count(config);
  return JobRun(config, drivers, stop, observer).run();
}

}  // namespace xasink::job
