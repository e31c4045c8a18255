#include "txn/recovery.hpp"

#include <algorithm>
#include <set>

#include "txn/fault.hpp"
#include "xasink/error.hpp"

namespace xasink::txn {
namespace {

using Action = RecoveredBranch::Action;

struct Verdict {
  Action action;
  BranchOutcome outcome;
};

Verdict verdict_of(CommitAnswer answer) noexcept {
  switch (answer) {
    case CommitAnswer::committed: return {Action::committed, BranchOutcome::committed};
    case CommitAnswer::already_committed: return {Action::already_committed, BranchOutcome::already_committed};
    case CommitAnswer::lost: return {Action::lost, BranchOutcome::lost};
    case CommitAnswer::retry_later: return {Action::in_doubt, BranchOutcome::pending};
    case CommitAnswer::failed: return {Action::failed, BranchOutcome::pending};
  }
  return {Action::failed, BranchOutcome::pending};
}

// Branches whose commit is not proven yet. A branch recorded as lost is asked for again: the operator may have mended it.
std::vector<Committable> open_branches(const LoggedCheckpoint& checkpoint) {
  std::vector<Committable> open;
  for (const LoggedBranch& branch : checkpoint.branches) {
    if (branch.outcome == BranchOutcome::pending || branch.outcome == BranchOutcome::lost) {
      open.push_back(branch.committable);
    }
  }
  return open;
}

}  // namespace

Target& target_of(const Targets& targets, const Committable& committable) {
  for (const auto& target : targets) {
    if (target->owns(committable)) return *target;
  }
  throw Error(Category::preflight,
              "branch " + committable.xid.gid() + " of checkpoint " + std::to_string(committable.xid.checkpoint) +
                  " is decided and lies at " + committable.resource + ", which the job file does not name",
              "put that target back into the job file until `xasink recover` has finished the branch");
}

std::vector<CommitResult> finish_checkpoint(TransactionLog& log, const Targets& targets, std::uint64_t checkpoint,
                                            std::span<const Committable> committables) {
  if (committables.empty()) return {};
  const TargetOptions& options = targets.front()->options();
  auto results = commit_branches(
      committables,
      [&](const Committable& one) -> FinisherPool& { return target_of(targets, one).pool_for(one); }, options.commit_retry,
      options.commit_sessions);
  std::vector<LoggedBranch> outcomes;
  for (const CommitResult& result : results) {
    const BranchOutcome outcome = verdict_of(result.answer).outcome;
    outcomes.push_back({result.committable, outcome, result.evidence});
  }
  log.record_outcomes(checkpoint, outcomes);
  return results;
}

JobRecovery recover_job(TransactionLog& log, const Targets& targets, std::uint64_t reserve) {
  JobRecovery recovery;
  // Before anything changes: everything decided must have somewhere to go.
  for (const LoggedCheckpoint& checkpoint : log.unfinished()) {
    for (const Committable& committable : open_branches(checkpoint)) static_cast<void>(target_of(targets, committable));
  }
  for (const auto& target : targets) target->check_log(log);

  recovery.identity = log.raise_epoch(reserve);
  recovery.first_checkpoint = recovery.identity.reserved_through - reserve + 1;
  recovery.restart = log.last_decision();
  const Incarnation incarnation{recovery.identity.job, recovery.identity.owner, recovery.identity.epoch};
  for (const auto& target : targets) target->raise_epoch(incarnation);

  for (const LoggedCheckpoint& checkpoint : log.unfinished()) {
    XASINK_FAULT_POINT("recover.commit.before");
    const auto results = finish_checkpoint(log, targets, checkpoint.checkpoint, open_branches(checkpoint));
    for (const CommitResult& result : results) {
      recovery.report.branches.push_back({result.committable.xid.gid(), result.committable.resource,
                                          verdict_of(result.answer).action, result.evidence});
    }
    XASINK_FAULT_POINT("recover.commit.after");
    // A later checkpoint must not become visible before this one.
    if (!recovery.report.clean()) break;
    recovery.rows += checkpoint.rows;
  }

  if (recovery.report.clean()) {
    sweep_orphans(log, targets, incarnation, "recovery", recovery.report.branches);
    return recovery;
  }
  // Whoever mends the branch should not find the locks of orphans besides.
  try {
    sweep_orphans(log, targets, incarnation, "recovery", recovery.report.branches);
  } catch (const Error&) {
    // What keeps the branch from being committed may keep the orphans, too; the report tells of the branch.
  }
  return recovery;
}

void sweep_orphans(TransactionLog& log, const Targets& targets, const Incarnation& incarnation, std::string_view actor,
                   std::vector<RecoveredBranch>& swept) {
  for (const auto& target : targets) {
    XASINK_FAULT_POINT("recover.sweep.before");
    for (RecoveredBranch& branch : target->sweep(incarnation, [&](const Xid& xid) { return log.decided(xid); })) {
      log.audit({std::chrono::system_clock::now(), std::string(actor), std::string(to_string(branch.action)), branch.xid,
                 "prepared", branch.reason, std::string(to_string(branch.action))});
      swept.push_back(std::move(branch));
    }
    XASINK_FAULT_POINT("recover.sweep.after");
  }
}

void sweep_after_fence(TransactionLog& log, const Targets& targets, const Incarnation& fenced,
                       std::vector<RecoveredBranch>& swept) {
  if (log.identity().epoch <= fenced.epoch) return;
  // As far as an incarnation between the two could.
  sweep_orphans(log, targets, {fenced.job, fenced.owner, fenced.epoch + 1}, "fenced", swept);
}

RecoveryReport preview_recovery(TransactionLog& log, const Targets& targets) {
  RecoveryReport report;
  std::vector<std::vector<PreparedTransaction>> first;
  for (const auto& target : targets) first.push_back(target->list());
  const LogIdentity identity = log.identity();
  for (const LoggedCheckpoint& checkpoint : log.unfinished()) {
    for (const Committable& committable : open_branches(checkpoint)) {
      const bool marked = target_of(targets, committable).marker_present(committable.xid);
      report.branches.push_back({committable.xid.gid(), committable.resource,
                                 marked ? Action::already_committed : Action::committed,
                                 marked ? "decided, and its marker is there" : "decided by checkpoint " +
                                                                                   std::to_string(checkpoint.checkpoint)});
    }
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    std::set<std::string> again;
    for (const PreparedTransaction& found : targets[i]->list()) again.insert(found.gid);
    for (const PreparedTransaction& found : first[i]) {
      if (!found.xid || found.xid->job != identity.job || found.xid->owner != identity.owner || !again.contains(found.gid) ||
          log.decided(*found.xid)) {
        continue;
      }
      // Recovery raises the epoch first, so that the present epoch is over then, too.
      const bool over = found.xid->epoch <= identity.epoch;
      const bool roll_back = over && found.finishable;
      report.branches.push_back({found.gid, targets[i]->name(), roll_back ? Action::rolled_back : Action::left,
                                 roll_back ? "no decision names it"
                                 : over    ? "an orphan, but " + obstacle_of(found)
                                           : "its epoch is newer than the log's"});
    }
  }
  return report;
}

}  // namespace xasink::txn
