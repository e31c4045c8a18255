// The sink as a checkpointing engine drives it (Flink's Sink V2 roles): writers prepare, a committer finishes.
//
//   auto sink = Sink::open(drivers, options);
//   sink->recover(committables of the engine's last completed checkpoint);
//   auto writer = sink->create_writer(index, next checkpoint);
//   writer->write(batch) ...
//   auto committables = writer->prepare_commit(checkpoint);   // keep them in the engine's checkpoint
//   sink->create_committer()->commit(committables);            // once that checkpoint is complete
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "xasink/driver.hpp"
#include "xasink/retry.hpp"

namespace xasink {

/// A branch that would pass a bound is prepared and the next part begun.
struct BranchBounds {
  std::uint64_t max_rows = 1'000'000;
  std::uint64_t max_bytes = 256ULL << 20;
};

struct SinkOptions {
  std::string job;          ///< `[a-z0-9_-]{1,24}`
  std::string owner;        ///< from make_owner(), made once and kept in the engine's state with the job
  std::uint64_t epoch = 0;  ///< larger at each start of the job than at any before
  std::string url;
  std::string table;
  std::vector<std::string> columns;  ///< the columns rows have, in order; empty = all that can be written
  std::optional<Protocol> protocol;  ///< default: the driver's
  std::string spool_directory;       ///< staged: where spool files lie; absolute
  BranchBounds bounds;
  RetryPolicy commit_retry;
  unsigned commit_sessions = 2;  ///< how many branches of one checkpoint are finished at a time
};

/// One writer: one thread, one open branch at most.
class SinkWriter {
 public:
  SinkWriter() = default;
  SinkWriter(const SinkWriter&) = delete;
  SinkWriter& operator=(const SinkWriter&) = delete;
  /// An open branch is given up; prepared ones stay (recovery rolls those back that no checkpoint names).
  virtual ~SinkWriter() = default;

  /// Sends rows into the open branch, opening one if there is none. After an error the writer only takes abort().
  virtual void write(const RowBatch& batch) = 0;
  /// First phase for everything written since the last call. \returns the branches, none if nothing was written.
  /// `checkpoint` must be at least the next one the writer expects; ids are never used twice.
  /// Dies before or inside: what is prepared is an orphan. Dies after: the branches wait for commit or recovery.
  [[nodiscard]] virtual std::vector<Committable> prepare_commit(std::uint64_t checkpoint) = 0;
  /// Branches that are prepared but not yet handed over (parts of the open checkpoint). An engine whose checkpoint does
  /// not include a prepare_commit keeps these in its state.
  [[nodiscard]] virtual std::vector<Committable> snapshot_state() const = 0;
  /// Gives up the open branch and rolls back what is prepared and not handed over. Best effort; what stays is an orphan.
  virtual void abort() noexcept = 0;
  /// From any thread: makes a write() or prepare_commit() in progress fail soon; the writer then only takes abort().
  virtual void interrupt() noexcept = 0;
};

enum class CommitAnswer : std::uint8_t {
  committed,          ///< by this call
  already_committed,  ///< the marker proves it
  retry_later,        ///< held or unreachable until the policy's limit: still in doubt
  lost,               ///< neither prepared nor marked: never guessed away
  failed,             ///< the server refuses for a reason that waiting does not cure
};
[[nodiscard]] std::string_view to_string(CommitAnswer answer) noexcept;

struct CommitResult {
  Committable committable;
  CommitAnswer answer = CommitAnswer::retry_later;
  std::string evidence;  ///< the server's words, or the error's
  unsigned attempts = 0;
};

/// Second phase. Idempotent: the same committables may be given again, from any process, any number of times.
class Committer {
 public:
  Committer() = default;
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;
  virtual ~Committer() = default;

  /// Finishes branches, several at a time, each retried with back-off within the policy's limit. One result per
  /// committable, in their order. Dies anywhere: call again with the same committables.
  [[nodiscard]] virtual std::vector<CommitResult> commit(std::span<const Committable> committables) = 0;
};

/// What recovery saw and did with one branch.
struct RecoveredBranch {
  std::string xid;
  std::string resource;
  enum class Action : std::uint8_t { committed, already_committed, rolled_back, left, in_doubt, lost, failed } action =
      Action::left;
  std::string reason;  ///< why, in a sentence
};
[[nodiscard]] std::string_view to_string(RecoveredBranch::Action action) noexcept;

struct RecoveryReport {
  std::vector<RecoveredBranch> branches;
  [[nodiscard]] bool clean() const noexcept;  ///< nothing in doubt, lost or failed
};

/// A table in a database, under one commit protocol. Thread-safe but for recover(), which comes first and alone.
class Sink {
 public:
  /// Connects, checks that the protocol can be used, looks up the table. \throws Error (preflight) with the remedy
  [[nodiscard]] static std::unique_ptr<Sink> open(const DriverRegistry& drivers, SinkOptions options);

  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  [[nodiscard]] virtual const std::shared_ptr<const TableSchema>& schema() const noexcept = 0;
  [[nodiscard]] virtual const std::string& resource() const noexcept = 0;

  /// Raises the epoch at the target, commits `decided` (the committables of every completed checkpoint that are not known
  /// to be committed), then rolls back branches of this job and owner of older epochs that are not among them.
  /// \throws FencedError if the target has seen a newer epoch
  [[nodiscard]] virtual RecoveryReport recover(std::span<const Committable> decided) = 0;
  /// \pre `index` is unique over all writers of the job's epoch
  [[nodiscard]] virtual std::unique_ptr<SinkWriter> create_writer(std::uint32_t index, std::uint64_t next_checkpoint) = 0;
  [[nodiscard]] virtual std::unique_ptr<Committer> create_committer() = 0;
};

}  // namespace xasink
