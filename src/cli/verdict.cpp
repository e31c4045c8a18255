#include "src/cli/verdict.hpp"

#include <fmt/format.h>

#include "txn/target.hpp"

namespace xasink::cli {
namespace {

using Kind = Verdict::Kind;

Verdict judge_ours(const Xid& xid, const LogView& log) {
  if (xid.job != log.identity.job) {
    return {Kind::leave, fmt::format("not ours: it belongs to job {}", xid.job)};
  }
  if (xid.owner != log.identity.owner) {
    return {Kind::leave,
            fmt::format("not ours: another job {} with a log of its own (owner {}) made it", xid.job, xid.owner)};
  }
  if (log.decided(xid)) return {Kind::commit, fmt::format("checkpoint {} is decided and names it", xid.checkpoint)};
  if (xid.epoch < log.identity.epoch) {
    return {Kind::rollback, fmt::format("no decision names it and its epoch {} is over", xid.epoch)};
  }
  if (xid.epoch == log.identity.epoch) {
    return {Kind::live_or_rollback,
            "not decided yet: a running job may still decide it; if none runs, recovery rolls it back"};
  }
  return {Kind::leave, fmt::format("its epoch {} is newer than the log's {}: this log is an old copy", xid.epoch,
                                   log.identity.epoch)};
}

}  // namespace

std::string_view to_string(Kind kind) noexcept {
  switch (kind) {
    case Kind::commit: return "commit";
    case Kind::rollback: return "rollback";
    case Kind::live_or_rollback: return "live or rollback by recovery";
    case Kind::leave: return "leave";
    case Kind::unknown: return "unknown";
  }
  return "unknown";
}

Verdict judge(const PreparedTransaction& transaction, const std::optional<LogView>& log) {
  if (!transaction.xid) return {Kind::leave, "not ours: xasink did not name it"};
  if (!log) {
    return {Kind::unknown, fmt::format("the log of job {} decides; give its job file", transaction.xid->job)};
  }
  Verdict verdict = judge_ours(*transaction.xid, *log);
  if (verdict.kind != Kind::leave && !transaction.finishable) {
    verdict.reason += "; " + txn::obstacle_of(transaction);
  }
  return verdict;
}

}  // namespace xasink::cli
