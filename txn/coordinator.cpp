#include "txn/coordinator.hpp"

#include <algorithm>
#include <utility>

#include "txn/fault.hpp"
#include "txn/writer.hpp"
#include "xasink/error.hpp"

namespace xasink::txn {

using std::chrono::steady_clock;

namespace {

// Per writer one being sent and one waiting, and one that the reader fills.
std::size_t pool_size(unsigned writers) { return 2 * std::size_t{writers} + 1; }

constexpr std::uint64_t kPruneEvery = 64;  // checkpoints

[[noreturn]] void throw_unfinished(const CommitResult& result) {
  ErrorDetails details;
  details.xid = result.committable.xid.gid();
  const std::string what = "branch " + details.xid + " of checkpoint " +
                           std::to_string(result.committable.xid.checkpoint) + " at " + result.committable.resource;
  switch (result.answer) {
    case CommitAnswer::lost:
      details.category = Category::lost;
      details.hint = "something rolled it back after the decision; its rows are missing. Keep the log and call an operator";
      throw Error(what + " is lost: " + result.evidence, details);
    case CommitAnswer::retry_later:
      details.category = Category::in_doubt;
      details.retryable = true;
      details.hint = "see to it that the server can be reached; the branch is decided and will be committed by recovery";
      throw Error(what + " is in doubt after " + std::to_string(result.attempts) + " attempts: " + result.evidence, details);
    case CommitAnswer::committed:
    case CommitAnswer::already_committed:
    case CommitAnswer::failed: break;
  }
  details.category = Category::in_doubt;
  details.hint = "remove the cause, then run the job or `xasink recover`; the branch is decided and stays prepared until then";
  throw Error(what + " can't be committed: " + result.evidence, details);
}

}  // namespace

Coordinator::Coordinator(TransactionLog& log, const Targets& targets, const JobRecovery& recovery, const Lane& lane,
                         const CoordinatorOptions& options, CoordinatorObserver& observer)
    : log_(log),
      targets_(targets),
      options_(options),
      observer_(observer),
      incarnation_{recovery.identity.job, recovery.identity.owner, recovery.identity.epoch},
      last_position_(recovery.restart ? recovery.restart->position : std::string()),
      next_checkpoint_(recovery.first_checkpoint),
      last_barrier_(steady_clock::now()),
      last_sweep_(last_barrier_),
      last_committed_(recovery.restart ? recovery.restart->checkpoint : 0),
      pool_(lane.schema, pool_size(lane.writers)) {
  for (std::uint32_t index = 0; index < lane.writers; ++index) {
    auto writer = make_writer({lane.target, &lane.target->writing_resource()}, lane.schema,
                              {incarnation_.job, incarnation_.owner, incarnation_.epoch, index}, next_checkpoint_,
                              options_.bounds);
    writers_.push_back(std::make_unique<WriterThread>(
        std::move(writer), pool_,
        [this](std::uint64_t checkpoint, std::vector<Committable> committables) {
          on_prepared(checkpoint, std::move(committables));
        },
        [this](std::exception_ptr error) { fail(std::move(error)); }));
  }
  committer_ = std::thread([this] { commit_loop(); });
}

Coordinator::~Coordinator() { stop(); }

void Coordinator::stop() noexcept {
  stop_committing();
  for (auto& writer : writers_) writer->stop();
}

void Coordinator::stop_committing() noexcept {
  if (!committer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  committer_.join();
}

RowBatch Coordinator::take_batch() {
  auto batch = pool_.take();
  throw_if_failed();
  if (!batch) throw Error(Category::internal, "the batches are gone without an error");
  return std::move(*batch);
}

void Coordinator::write(RowBatch batch) {
  throw_if_failed();
  rows_since_barrier_ += batch.rows();
  bytes_since_barrier_ += batch.bytes();
  rows_written_ += batch.rows();
  writers_[next_writer_]->push(std::move(batch));
  next_writer_ = (next_writer_ + 1) % writers_.size();
}

std::uint64_t Coordinator::rows_wanted() const noexcept {
  std::uint64_t wanted = options_.bounds.max_rows;
  if (options_.rows > rows_since_barrier_) wanted = std::min(wanted, options_.rows - rows_since_barrier_);
  return std::max<std::uint64_t>(wanted, 1);
}

std::optional<steady_clock::time_point> Coordinator::next_barrier() const noexcept {
  if (!options_.interval) return std::nullopt;
  return last_barrier_ + *options_.interval;
}

void Coordinator::checkpoint_if_due(const std::function<std::string()>& position_of) {
  throw_if_failed();
  const bool full = (options_.rows > 0 && rows_since_barrier_ >= options_.rows) ||
                    (options_.bytes > 0 && bytes_since_barrier_ >= options_.bytes);
  const auto due = next_barrier();
  const bool late = due && steady_clock::now() >= *due;
  if (!full && !late) return;
  const std::string position = position_of();
  if (rows_since_barrier_ == 0 && position == last_position_) {
    note_barrier();  // nothing to put into a checkpoint: none is made
    return;
  }
  {
    std::unique_lock lock(mutex_);
    const auto slot = [this] { return error_ != nullptr || in_flight_.size() < options_.max_in_flight; };
    if (full) {
      changed_.wait(lock, slot);
    } else if (!slot()) {
      return;
    }
  }
  throw_if_failed();
  begin_checkpoint(position, false);
}

void Coordinator::begin_checkpoint(const std::string& position, bool final) {
  const std::uint64_t checkpoint = next_checkpoint_++;
  XASINK_FAULT_POINT("coordinator.barrier.before");
  {
    const std::lock_guard lock(mutex_);
    in_flight_[checkpoint] = Pending{position, final, writers_.size(), {}, rows_since_barrier_, steady_clock::now()};
  }
  for (auto& writer : writers_) writer->push(Barrier{checkpoint});
  last_position_ = position;
  rows_since_barrier_ = 0;
  bytes_since_barrier_ = 0;
  note_barrier();
  XASINK_FAULT_POINT("coordinator.barrier.after");
}

// The next one is due an interval after this one was, not after it came: small delays must not add up.
void Coordinator::note_barrier() noexcept {
  const auto now = steady_clock::now();
  const auto due = next_barrier();
  last_barrier_ = due && *due <= now && now - *due < *options_.interval ? *due : now;
}

void Coordinator::finish(const std::string& position) {
  const auto wait_until = [this](auto condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return error_ != nullptr || condition(); });
  };
  if (rows_since_barrier_ > 0 || position != last_position_) {
    wait_until([this] { return in_flight_.size() < options_.max_in_flight; });
    throw_if_failed();
    begin_checkpoint(position, true);
  }
  wait_until([this] { return in_flight_.empty(); });
  throw_if_failed();
  stop_committing();  // the sweep is its work; from here on it is this thread's
  // A branch of an older incarnation may have been prepared after recovery looked.
  sweep();
  // A job that is run for a checkpoint or two each time must not gather them for ever.
  prune();
}

CoordinatorStats Coordinator::stats() const {
  const std::lock_guard lock(mutex_);
  return {rows_written_.load(), rows_committed_, last_committed_, static_cast<unsigned>(in_flight_.size())};
}

void Coordinator::on_prepared(std::uint64_t checkpoint, std::vector<Committable> committables) {
  {
    const std::lock_guard lock(mutex_);
    Pending& pending = in_flight_.at(checkpoint);
    std::move(committables.begin(), committables.end(), std::back_inserter(pending.committables));
    --pending.writers_left;
  }
  changed_.notify_all();
}

void Coordinator::fail(std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  pool_.close();
  changed_.notify_all();
}

void Coordinator::throw_if_failed() {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

void Coordinator::commit_loop() noexcept {
  try {
    for (;;) {
      std::uint64_t checkpoint = 0;
      Pending* pending = nullptr;
      {
        std::unique_lock lock(mutex_);
        // A writer sends its barriers in order, so the oldest checkpoint is complete first.
        const auto ready = [this] { return !in_flight_.empty() && in_flight_.begin()->second.writers_left == 0; };
        changed_.wait_until(lock, last_sweep_ + options_.sweep, [&] { return stopping_ || error_ || ready(); });
        if (stopping_ || error_) return;
        if (ready()) {
          checkpoint = in_flight_.begin()->first;
          pending = &in_flight_.begin()->second;  // no writer touches it any more
        }
      }
      if (pending != nullptr) decide_and_commit(checkpoint, *pending);
      if (sweep_is_due()) sweep();
      if (pending == nullptr || checkpoint % kPruneEvery == 0) prune();
    }
  } catch (...) {
    fail(std::current_exception());
  }
}

void Coordinator::decide_and_commit(std::uint64_t checkpoint, Pending& pending) {
  XASINK_FAULT_POINT("coordinator.decide.before");
  log_.decide(incarnation_.epoch, Decision{checkpoint, pending.position, pending.committables, pending.final},
              checkpoint + ids_to_reserve(options_.max_in_flight));
  XASINK_FAULT_POINT("coordinator.commit.before");
  const auto results = finish_checkpoint(log_, targets_, checkpoint, pending.committables);
  for (const CommitResult& result : results) {
    if (result.answer != CommitAnswer::committed && result.answer != CommitAnswer::already_committed) {
      throw_unfinished(result);
    }
  }
  XASINK_FAULT_POINT("coordinator.commit.after");
  const std::uint64_t rows = pending.rows;
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - pending.barrier_at);
  {
    const std::lock_guard lock(mutex_);
    rows_committed_ += rows;
    last_committed_ = checkpoint;
    in_flight_.erase(checkpoint);
  }
  changed_.notify_all();
  observer_.checkpoint_committed(checkpoint, rows, took);
}

void Coordinator::prune() {
  if (last_committed_ <= options_.retention) return;
  try {
    const std::uint64_t through = last_committed_ - options_.retention;
    // Log first: a marker may outlive its log row, a log row must not outlive its marker.
    log_.prune(through);
    for (const auto& target : targets_) target->prune_markers(incarnation_.owner, through);
  } catch (const Error& error) {
    observer_.upkeep_failed(error.what());
  }
}

bool Coordinator::sweep_is_due() const noexcept { return steady_clock::now() - last_sweep_ >= options_.sweep; }

void Coordinator::sweep() {
  last_sweep_ = steady_clock::now();
  try {
    // A process that runs on a copy of the log fences this one at the target alone.
    for (const auto& target : targets_) target->raise_epoch(incarnation_);
    std::vector<RecoveredBranch> swept;
    sweep_orphans(log_, targets_, incarnation_, "sweep", swept);
    for (const RecoveredBranch& branch : swept) observer_.branch_swept(branch);
  } catch (const FencedError&) {
    throw;
  } catch (const Error& error) {
    observer_.upkeep_failed(error.what());
  }
}

}  // namespace xasink::txn
