// Checkpoints of a stand-alone job.
//
// One job thread hands over batches and calls for barriers. Every writer has a thread; one more decides and commits. Nothing
// stops the world: writers go on with the next checkpoint as soon as they have prepared one.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "txn/recovery.hpp"
#include "txn/writer_thread.hpp"

namespace xasink::txn {

struct CoordinatorOptions {
  std::optional<std::chrono::milliseconds> interval;  ///< between barriers; absent: no timed ones
  std::uint64_t rows = 0;                             ///< a barrier after so many rows; 0: never
  std::uint64_t bytes = 0;                            ///< likewise, as RowBatch::bytes counts
  unsigned max_in_flight = 2;                         ///< checkpoints between barrier and committed
  std::uint64_t retention = 10'000;                   ///< committed checkpoints kept in log and marker tables
  std::chrono::milliseconds sweep{30'000};            ///< between looks for late orphans
  BranchBounds bounds;
};

/// Ids that must be reserved when the job is opened: those in flight, and the one writers are in.
[[nodiscard]] constexpr std::uint64_t ids_to_reserve(unsigned max_in_flight) noexcept { return max_in_flight + 1ULL; }

/// Hears what happens, on the committing thread. Must not throw.
class CoordinatorObserver {
 public:
  virtual ~CoordinatorObserver() = default;
  virtual void checkpoint_committed(std::uint64_t checkpoint, std::uint64_t rows, std::chrono::milliseconds since_barrier) = 0;
  virtual void branch_swept(const RecoveredBranch& branch) = 0;
  virtual void upkeep_failed(const std::string& why) = 0;  ///< sweep or prune; tried again later
};

struct CoordinatorStats {
  std::uint64_t rows_written = 0;    ///< handed over in this incarnation
  std::uint64_t rows_committed = 0;  ///< in committed checkpoints of this incarnation
  std::uint64_t checkpoint = 0;      ///< last committed, 0 if none yet
  unsigned in_flight = 0;
};

/// What the job is allowed to write into: a schema's writers over one target.
struct Lane {
  std::shared_ptr<Target> target;
  std::shared_ptr<const TableSchema> schema;
  unsigned writers = 1;
};

/// One incarnation of a job: it ends with finish() or with the first error, after which the job recovers and makes a new one.
class Coordinator {
 public:
  /// \param recovery of this incarnation; log, targets and observer outlive the coordinator
  Coordinator(TransactionLog& log, const Targets& targets, const JobRecovery& recovery, const Lane& lane,
              const CoordinatorOptions& options, CoordinatorObserver& observer);
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;
  /// As stop().
  ~Coordinator();

  // All of these throw the first error of any thread. Called from one thread.

  /// An empty batch to fill; waits while all are under way (back-pressure).
  [[nodiscard]] RowBatch take_batch();
  /// Hands a batch to the next writer.
  void write(RowBatch batch);
  /// How many rows may come before a barrier or a branch's bound is due. 1 or more.
  [[nodiscard]] std::uint64_t rows_wanted() const noexcept;
  /// When the next timed barrier is due; empty without interval.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> next_barrier() const noexcept;
  /// Begins a checkpoint if one is due: by time, and then only if there is a slot; by rows or bytes, and then waits for one.
  /// \param position tells the source's place behind the last batch written; only asked when a barrier is due
  void checkpoint_if_due(const std::function<std::string()>& position);
  /// Takes a last checkpoint and waits until everything is committed and late orphans are swept.
  /// Dies before: the last checkpoint is not there. Dies after: all rows are visible.
  void finish(const std::string& position);
  /// Ends all threads; gives up what is not decided. What is decided and not committed stays for recovery.
  void stop() noexcept;

  [[nodiscard]] CoordinatorStats stats() const;

 private:
  struct Pending {
    std::string position;
    bool final = false;
    std::size_t writers_left = 0;
    std::vector<Committable> committables;
    std::uint64_t rows = 0;
    std::chrono::steady_clock::time_point barrier_at;
  };

  void begin_checkpoint(const std::string& position, bool final);
  void note_barrier() noexcept;
  void on_prepared(std::uint64_t checkpoint, std::vector<Committable> committables);
  void fail(std::exception_ptr error);
  void throw_if_failed();
  void commit_loop() noexcept;
  void stop_committing() noexcept;
  void decide_and_commit(std::uint64_t checkpoint, Pending& pending);
  [[nodiscard]] bool sweep_is_due() const noexcept;
  void sweep();
  void prune();

  TransactionLog& log_;
  const Targets& targets_;
  CoordinatorOptions options_;
  CoordinatorObserver& observer_;
  Incarnation incarnation_;
  std::string last_position_;  // of the last barrier
  std::uint64_t next_checkpoint_;
  std::uint64_t rows_since_barrier_ = 0;
  std::uint64_t bytes_since_barrier_ = 0;
  std::chrono::steady_clock::time_point last_barrier_;
  std::chrono::steady_clock::time_point last_sweep_;
  std::size_t next_writer_ = 0;
  std::atomic<std::uint64_t> rows_written_{0};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Pending> in_flight_;  // by checkpoint
  std::exception_ptr error_;
  bool stopping_ = false;
  std::uint64_t rows_committed_ = 0;
  std::uint64_t last_committed_ = 0;

  BatchPool pool_;
  std::vector<std::unique_ptr<WriterThread>> writers_;
  std::thread committer_;
};

}  // namespace xasink::txn
