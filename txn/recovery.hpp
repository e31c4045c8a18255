// What opening a job does, and the operator's tool too.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "txn/target.hpp"
#include "xasink/transaction_log.hpp"

namespace xasink::txn {

/// The targets of a job by resource name. Several tables of one database share one.
using Targets = std::vector<std::shared_ptr<Target>>;

struct JobRecovery {
  LogIdentity identity;                     ///< of the new incarnation
  std::uint64_t first_checkpoint = 0;       ///< the first of its reserved ids
  std::optional<LoggedCheckpoint> restart;  ///< the last decision: where the source goes on; empty: from the start
  std::uint64_t rows = 0;                   ///< in the checkpoints that were decided before and are committed now
  RecoveryReport report;
};

/// Takes the log over and brings the targets to its last decision:
///   0. refuse a log that is behind a target (restored from a backup): one that knows an older epoch than the target, or not
///      the decision of a checkpoint that is visible there; and one that names a target the job no longer has;
///   1. raise the epoch in the log: from here on no older incarnation can decide, so the set of decided branches is fixed;
///   2. raise it at every target;
///   3. commit every decided branch that is not known to be committed, oldest checkpoint first, and record the outcomes;
///   4. roll back every branch of this job and owner of an older epoch that the log does not name.
/// Why 4 is safe without a second look: such a branch is named by no decision now (read after 1) and can't be named by one
/// later (1). One that is prepared only after the listing, by a process that has not noticed yet, is left for the sweep of
/// the running job. Dies anywhere: recover again; each step is idempotent, and no branch is rolled back before step 1 is durable.
/// When a decided branch is in doubt, lost or failed, 3 ends there, since nothing later may become visible before it, and the
/// report says which; 4 is done as far as the targets allow.
/// \param reserve checkpoint ids to reserve for the new incarnation
/// \throws Error (preflight) from step 0; FencedError if another incarnation was faster
[[nodiscard]] JobRecovery recover_job(TransactionLog& log, const Targets& targets, std::uint64_t reserve);

/// Rolls back, at every target, what the incarnation may sweep and the log does not name; each act is recorded in the log as
/// the actor's. See Target::sweep. \param swept what was found is added, also before something throws
void sweep_orphans(TransactionLog& log, const Targets& targets, const Incarnation& incarnation, std::string_view actor,
                   std::vector<RecoveredBranch>& swept);

/// The last thing a fenced incarnation does: it rolls back its own branches that the log, which is in a newer epoch now, does
/// not name and never will. The newer incarnation would do it, but may be gone by now. Nothing if the log's epoch is not newer.
void sweep_after_fence(TransactionLog& log, const Targets& targets, const Incarnation& fenced,
                       std::vector<RecoveredBranch>& swept);

/// What recover_job would do, from a log that may be in use: changes nothing.
/// Reads the prepared list, then the log, then the list again: a branch in both lists that the log in between does not name
/// and whose epoch is over is an orphan; one that was decided or finished meanwhile is not in both, or is named.
[[nodiscard]] RecoveryReport preview_recovery(TransactionLog& log, const Targets& targets);

/// The target where a committable's branch lies. \throws Error (preflight) if there is none
[[nodiscard]] Target& target_of(const Targets& targets, const Committable& committable);

/// Commits the branches of one decided checkpoint and records what became of them. \returns the results
/// \throws Error when the log can't record them; the commits stand
std::vector<CommitResult> finish_checkpoint(TransactionLog& log, const Targets& targets, std::uint64_t checkpoint,
                                            std::span<const Committable> committables);

}  // namespace xasink::txn
