// The durable record that makes checkpoints complete.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "xasink/committable.hpp"

namespace xasink {

/// How a branch ended, or that it has not yet.
enum class BranchOutcome : std::uint8_t { pending = 0, committed = 1, already_committed = 2, lost = 3 };
[[nodiscard]] std::string_view to_string(BranchOutcome outcome) noexcept;

/// A checkpoint as it is decided: everything before `position` is in these branches or in earlier checkpoints.
struct Decision {
  std::uint64_t checkpoint = 0;
  std::string position;  ///< the source's own text
  std::vector<Committable> committables;
  bool final = false;  ///< end of input or a stop asked for
};

struct LoggedBranch {
  Committable committable;
  BranchOutcome outcome = BranchOutcome::pending;
  std::string evidence;  ///< what proved the outcome, in the server's words
};

struct LoggedCheckpoint {
  std::uint64_t checkpoint = 0;
  std::uint64_t epoch = 0;
  std::string position;
  bool final = false;
  std::uint64_t rows = 0;
  std::chrono::system_clock::time_point decided_at;
  std::optional<std::chrono::system_clock::time_point> committed_at;  ///< set once every branch is committed
  std::vector<LoggedBranch> branches;
};

struct LogIdentity {
  std::string job;
  std::string owner;
  std::uint64_t epoch = 0;             ///< of the last incarnation that opened it; 0 if none has
  std::uint64_t reserved_through = 0;  ///< no checkpoint id up to this one may be begun any more
};

/// One record per act of an operator or of recovery on a branch.
struct AuditRecord {
  std::chrono::system_clock::time_point at;
  std::string actor;   ///< user and host, or `recovery`
  std::string action;  ///< `rollback`, `commit`, …
  std::string xid;
  std::string seen;  ///< what was seen before acting
  std::string reason;
  std::string result;
};

/// Thread-safe. Every write is durable when it returns. When a write throws, its outcome is unknown unless the error is a
/// FencedError: read again before anything is rolled back (taking the log anew with raise_epoch and reading does that).
class TransactionLog {
 public:
  TransactionLog() = default;
  TransactionLog(const TransactionLog&) = delete;
  TransactionLog& operator=(const TransactionLog&) = delete;
  virtual ~TransactionLog() = default;

  [[nodiscard]] virtual LogIdentity identity() = 0;

  /// Begins a new incarnation: epoch + 1, and reserves `reserve` checkpoint ids after all ids ever reserved. After it no
  /// older incarnation can decide. \returns the identity after the raise; the reserved ids are the last `reserve` up to
  /// reserved_through. Dies before: nothing. Dies after: an epoch and a few ids are skipped.
  /// \throws FencedError, and changes nothing, if this object has raised the epoch before and another has done so since: a
  /// process that was superseded must not take the job back
  [[nodiscard]] virtual LogIdentity raise_epoch(std::uint64_t reserve) = 0;

  /// The decision. All of it or nothing, only if `epoch` is still the log's, and reserves ids up to `reserve_through` with it.
  /// Dies before: every branch of it is an orphan and will be rolled back. Dies after: every branch will be committed.
  /// \throws FencedError if the epoch is no longer the log's; nothing is recorded then
  virtual void decide(std::uint64_t epoch, const Decision& decision, std::uint64_t reserve_through) = 0;

  /// Records outcomes of branches of a decided checkpoint, with their evidence; marks the checkpoint committed when none is
  /// pending or lost. `branches` are matched by xid. Dies before: recovery asks the server again and finds the marker.
  virtual void record_outcomes(std::uint64_t checkpoint, std::span<const LoggedBranch> branches) = 0;

  /// Decided checkpoints that are not committed, oldest first.
  [[nodiscard]] virtual std::vector<LoggedCheckpoint> unfinished() = 0;
  /// The newest decided checkpoint with its position; branches are not filled in. Empty if nothing is decided.
  [[nodiscard]] virtual std::optional<LoggedCheckpoint> last_decision() = 0;
  /// Whether a decision names the branch. Pruned checkpoints count as not decided; they are older than anything prepared.
  [[nodiscard]] virtual bool decided(const Xid& xid) = 0;
  /// The newest `limit` checkpoints, newest first, with branches.
  [[nodiscard]] virtual std::vector<LoggedCheckpoint> recent(std::size_t limit) = 0;

  /// Deletes committed checkpoints up to `through`, except the newest decision. By key.
  virtual void prune(std::uint64_t through) = 0;

  virtual void audit(const AuditRecord& record) = 0;
  [[nodiscard]] virtual std::vector<AuditRecord> audit_records(std::size_t limit) = 0;
};

}  // namespace xasink
