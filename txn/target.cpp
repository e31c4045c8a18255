#include "txn/target.hpp"

#include "txn/fault.hpp"
#include "txn/prepared/prepared_resource.hpp"
#include "txn/staged/staged_resource.hpp"
#include "xasink/error.hpp"

namespace xasink::txn {

std::string obstacle_of(const PreparedTransaction& transaction) {
  // Spool files have no role: theirs is a name that is not that of the branch inside.
  if (transaction.owner_role.empty()) return "the file of that name holds another branch";
  return "only role " + transaction.owner_role + " in database " + transaction.database + " can finish it";
}

Target::Target(const DriverRegistry& drivers, TargetOptions options)
    : driver_(drivers.for_url(options.url)),
      options_(std::move(options)),
      name_(driver_.resource_name(options_.url)),
      capabilities_(driver_.open_catalog(options_.url)->capabilities()) {
  // A second session would only wait for the first, with a cache of its own.
  if (!capabilities_.parallel_commits) options_.commit_sessions = 1;
}

Resource& Target::writing_resource() { return *part(options_.protocol.value_or(driver_.default_protocol())).resource; }

Target::Part& Target::part(Protocol protocol) {
  const std::lock_guard guard(mutex_);
  if (const auto found = parts_.find(protocol); found != parts_.end()) return found->second;
  std::unique_ptr<Resource> made;
  switch (protocol) {
    case Protocol::prepared:
      if (!capabilities_.two_phase) {
        throw Error(Category::preflight, name_ + ": prepared transactions can't be used: " + capabilities_.two_phase_reason,
                    "change that, or write `protocol: staged` for this target");
      }
      made = make_prepared_resource(driver_, options_.url, capabilities_, options_.commit_retry.silence);
      break;
    case Protocol::staged:
      made = make_staged_resource(driver_, options_.url, options_.spool_directory, options_.commit_retry.silence);
      break;
  }
  return parts_.try_emplace(protocol, std::move(made)).first->second;
}

std::vector<Protocol> Target::usable_protocols() const {
  std::vector<Protocol> protocols;
  if (capabilities_.two_phase) protocols.push_back(Protocol::prepared);
  if (!options_.spool_directory.empty()) protocols.push_back(Protocol::staged);
  return protocols;
}

Target::Part& Target::any_part() {
  const auto protocols = usable_protocols();
  if (protocols.empty()) return part(options_.protocol.value_or(driver_.default_protocol()));  // says why none can be used
  return part(protocols.front());
}

void Target::check_log(TransactionLog& log) {
  const LogIdentity found = log.identity();
  std::uint64_t epoch = 0;
  std::uint64_t committed = 0;
  with_finisher(any_part().pool, [&](BranchFinisher& finisher) {
    epoch = finisher.raise_epoch(found.job, found.owner, 0);
    committed = finisher.newest_marker(found.owner);
  });
  // Read after the markers: what another process makes visible in between was decided before.
  const auto last = log.last_decision();
  const std::uint64_t last_decision = last ? last->checkpoint : 0;
  // The epoch alone does not tell a copy that was made while this epoch ran. A branch is committed only after the log
  // has named it, so a log that knows of no checkpoint as new as a marker is not the one that decided it.
  std::string behind;
  if (epoch > found.epoch) {
    behind = "has seen epoch " + std::to_string(epoch) + ", the log only " + std::to_string(found.epoch);
  } else if (committed > last_decision) {
    behind = "has rows of checkpoint " + std::to_string(committed) + ", the log's last decision is " +
             (last_decision == 0 ? std::string("none") : std::to_string(last_decision));
  }
  if (behind.empty()) return;
  throw Error(Category::preflight,
              "the log of job " + found.job + " is behind its target: " + name_ + " " + behind +
                  "; it is an old copy, or its end is gone",
              "use the log that ran last; going on from an old one would load rows twice");
}

void Target::raise_epoch(const Incarnation& incarnation) {
  XASINK_FAULT_POINT("target.raise_epoch.before");
  const std::uint64_t highest =
      with_finisher(any_part().pool, [&](BranchFinisher& finisher) {
        return finisher.raise_epoch(incarnation.job, incarnation.owner, incarnation.epoch);
      });
  if (highest > incarnation.epoch) {
    throw FencedError(name_ + " has seen epoch " + std::to_string(highest) + " of job " + incarnation.job +
                      ", this process is in epoch " + std::to_string(incarnation.epoch));
  }
  XASINK_FAULT_POINT("target.raise_epoch.after");
}

std::vector<RecoveredBranch> Target::sweep(const Incarnation& incarnation, const std::function<bool(const Xid&)>& decided) {
  using Action = RecoveredBranch::Action;
  std::vector<RecoveredBranch> swept;
  for (const Protocol protocol : usable_protocols()) {
    with_finisher(part(protocol).pool, [&](BranchFinisher& finisher) {
      XASINK_FAULT_POINT("sweep.list.before");
      for (const PreparedTransaction& found : finisher.list()) {
        if (!found.xid || found.xid->job != incarnation.job || found.xid->owner != incarnation.owner ||
            found.xid->epoch >= incarnation.epoch || decided(*found.xid)) {
          continue;
        }
        if (!found.finishable) {
          swept.push_back({found.gid, name_, Action::left, "an orphan, but " + obstacle_of(found)});
          continue;
        }
        XASINK_FAULT_POINT("sweep.rollback.before");
        const FinishResult result = finisher.rollback(*found.xid);
        XASINK_FAULT_POINT("sweep.rollback.after");
        switch (result.outcome) {
          case FinishOutcome::done:
            swept.push_back({found.gid, name_, Action::rolled_back,
                             "no decision names it and its epoch " + std::to_string(found.xid->epoch) + " is over"});
            break;
          case FinishOutcome::not_found: break;  // somebody else was faster; it was nobody's to commit
          case FinishOutcome::held:
            swept.push_back({found.gid, name_, Action::left, "an orphan, held for now: " + result.evidence});
            break;
        }
      }
      static_cast<void>(finisher.discard_unprepared(incarnation.job, incarnation.owner, incarnation.epoch));
    });
  }
  return swept;
}

std::vector<PreparedTransaction> Target::list() {
  std::vector<PreparedTransaction> all;
  for (const Protocol protocol : usable_protocols()) {
    auto found = with_finisher(part(protocol).pool, [](BranchFinisher& finisher) { return finisher.list(); });
    all.insert(all.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  return all;
}

void Target::prune_markers(std::string_view owner, std::uint64_t through) {
  with_finisher(any_part().pool,
                [&](BranchFinisher& finisher) { finisher.prune_markers(owner, through); });
}

bool Target::marker_present(const Xid& xid) {
  return with_finisher(any_part().pool,
                       [&](BranchFinisher& finisher) { return finisher.marker_present(xid); });
}

}  // namespace xasink::txn
