#include "txn/committer.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "txn/backoff.hpp"
#include "txn/branch_state.hpp"
#include "txn/fault.hpp"
#include "xasink/error.hpp"

namespace xasink::txn {
namespace {

struct Answer {
  CommitAnswer answer;
  std::string evidence;
};

bool listed(BranchFinisher& finisher, const Xid& xid) {
  const auto all = finisher.list();
  return std::any_of(all.begin(), all.end(), [&](const PreparedTransaction& one) { return one.xid == xid; });
}

// The server does not know the name. Why this decides the outcome:
// the answer came at t0, so at t0 the branch was finished, by whomever, or is held where another session can't see it. A
// commit before t0 is visible together with its marker before the name is forgotten, so a look-up after t0 finds the marker
// of a committed branch. A held branch is still listed. What is neither marked nor listed after t0 was rolled back. The
// marker is read once more after the list: a holder could commit between the two.
std::optional<Answer> prove(BranchFinisher& finisher, const Xid& xid, const std::string& words) {
  XASINK_FAULT_POINT("commit.prove.before");
  if (finisher.marker_present(xid)) return Answer{CommitAnswer::already_committed, "marker present; " + words};
  if (listed(finisher, xid)) return std::nullopt;
  if (finisher.marker_present(xid)) return Answer{CommitAnswer::already_committed, "marker present; " + words};
  return Answer{CommitAnswer::lost, "neither prepared nor marked; " + words};
}

// One attempt. Empty: held or in doubt, to be looked at again; `words` says why.
std::optional<Answer> attempt(BranchFinisher& finisher, const Committable& committable, std::string& words) {
  FinishResult result = finisher.commit(committable);
  words = result.evidence;
  switch (result.outcome) {
    case FinishOutcome::done: return Answer{CommitAnswer::committed, std::move(result.evidence)};
    case FinishOutcome::held: return std::nullopt;
    case FinishOutcome::not_found: return prove(finisher, committable.xid, result.evidence);
  }
  return std::nullopt;
}

BranchCall call_of(CommitAnswer answer) noexcept {
  switch (answer) {
    case CommitAnswer::committed:
    case CommitAnswer::already_committed: return BranchCall::commit;
    case CommitAnswer::lost: return BranchCall::lose;
    case CommitAnswer::retry_later:
    case CommitAnswer::failed: return BranchCall::doubt;
  }
  return BranchCall::doubt;
}

CommitResult commit_one(const Committable& committable, const PoolFor& pool_for, const RetryPolicy& retry) {
  CommitResult result{committable, CommitAnswer::retry_later, {}, 0};
  BranchLife life(BranchState::decided);
  Backoff backoff(retry);
  do {
    ++result.attempts;
    try {
      FinisherPool& pool = pool_for(committable);
      // A finisher that throws is not given back: the next attempt looks through a new connection.
      const auto answer =
          with_finisher(pool, [&](BranchFinisher& finisher) { return attempt(finisher, committable, result.evidence); });
      if (answer) {
        result.answer = answer->answer;
        result.evidence = answer->evidence;
      }
    } catch (const Error& error) {
      // Nothing is known now: not even that the commit did not happen.
      result.evidence = error.what();
      if (!error.details().hint.empty()) result.evidence += " (" + error.details().hint + ")";
      if (!error.retryable()) result.answer = CommitAnswer::failed;
    } catch (const std::exception& error) {
      result.evidence = error.what();
      result.answer = CommitAnswer::failed;
    }
    life.apply(call_of(result.answer), committable.xid.gid());
  } while (result.answer == CommitAnswer::retry_later && backoff.wait());
  return result;
}

template <typename Act>
void in_parallel(const std::vector<std::size_t>& items, unsigned threads_at_most, const Act& act) {
  std::atomic<std::size_t> next{0};
  const auto work = [&]() noexcept {
    for (std::size_t i = next++; i < items.size(); i = next++) act(items[i]);
  };
  std::vector<std::jthread> helpers;
  try {
    for (std::size_t i = 1; i < std::min<std::size_t>(threads_at_most, items.size()); ++i) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // The system gives no more threads: those that are there do it.
  }
  work();
  helpers.clear();  // joins
}

}  // namespace

std::unique_ptr<BranchFinisher> FinisherPool::take() {
  {
    const std::lock_guard guard(mutex_);
    if (!idle_.empty()) {
      auto finisher = std::move(idle_.back());
      idle_.pop_back();
      return finisher;
    }
  }
  return resource_.open_finisher();
}

void FinisherPool::give_back(std::unique_ptr<BranchFinisher> finisher) {
  const std::lock_guard guard(mutex_);
  idle_.push_back(std::move(finisher));
}

std::vector<CommitResult> commit_branches(std::span<const Committable> committables, const PoolFor& pool_for,
                                          const RetryPolicy& retry, unsigned sessions) {
  std::map<std::uint64_t, std::vector<std::size_t>> checkpoints;
  for (std::size_t i = 0; i < committables.size(); ++i) checkpoints[committables[i].xid.checkpoint].push_back(i);

  std::vector<CommitResult> results(committables.size());
  std::optional<std::uint64_t> unfinished;
  for (const auto& [checkpoint, branches] : checkpoints) {
    if (unfinished) {
      const std::string why = "not tried: checkpoint " + std::to_string(*unfinished) + " comes first";
      for (const std::size_t i : branches) results[i] = {committables[i], CommitAnswer::retry_later, why, 0};
      continue;
    }
    in_parallel(branches, sessions, [&](std::size_t i) { results[i] = commit_one(committables[i], pool_for, retry); });
    const bool finished = std::all_of(branches.begin(), branches.end(), [&](std::size_t i) {
      return results[i].answer == CommitAnswer::committed || results[i].answer == CommitAnswer::already_committed;
    });
    if (!finished) unfinished = checkpoint;
  }
  return results;
}

}  // namespace xasink::txn
