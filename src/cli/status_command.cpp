#include <fmt/format.h>

#include <map>

#include "config/job_config.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/result_output.hpp"
#include "src/cli/text.hpp"
#include "src/telemetry/progress_text.hpp"
#include "txn/log/sqlite_log.hpp"

namespace xasink::cli {
namespace {

using telemetry::counted;
using telemetry::with_thousands;

constexpr std::size_t kAuditRecords = 100;

// What the log says about a job at one time.
struct Status {
  LogIdentity identity;
  std::vector<LoggedCheckpoint> recent;  // newest first
  std::size_t open_branches = 0;         // decided, commit not proven
  std::size_t lost_branches = 0;
  std::vector<AuditRecord> audit;
};

Status read_status(TransactionLog& log, const Arguments& arguments) {
  Status status;
  status.identity = log.identity();
  const auto unfinished = log.unfinished();
  status.recent = log.recent(arguments.last);
  if (arguments.audit) status.audit = log.audit_records(kAuditRecords);
  // The job may go on between the reads: where both tell of a checkpoint, the later one counts.
  std::map<std::uint64_t, const LoggedCheckpoint*> latest;
  for (const LoggedCheckpoint& checkpoint : unfinished) latest[checkpoint.checkpoint] = &checkpoint;
  for (const LoggedCheckpoint& checkpoint : status.recent) latest[checkpoint.checkpoint] = &checkpoint;
  for (const auto& [id, checkpoint] : latest) {
    for (const LoggedBranch& branch : checkpoint->branches) {
      switch (branch.outcome) {
        case BranchOutcome::pending: ++status.open_branches; break;
        case BranchOutcome::lost: ++status.lost_branches; break;
        case BranchOutcome::committed:
        case BranchOutcome::already_committed: break;
      }
    }
  }
  return status;
}

std::string state_text(const Status& status) {
  if (status.recent.empty()) return "nothing decided yet";
  const std::size_t open = status.open_branches + status.lost_branches;
  if (open == 0) return "committed";
  std::string text = fmt::format("decided, {} not committed yet", counted(open, "branch", "branches"));
  if (status.lost_branches > 0) text += fmt::format(", {} of them lost", status.lost_branches);
  return text;
}

std::string checkpoint_text(const LoggedCheckpoint& checkpoint) {
  std::string text = fmt::format("  {} of epoch {}{}: {}, decided {}, ", checkpoint.checkpoint, checkpoint.epoch,
                                 checkpoint.final ? ", final" : "", counted(checkpoint.rows, "row", "rows"),
                                 utc_text(checkpoint.decided_at));
  if (checkpoint.committed_at) {
    text += fmt::format("committed {} later\n",
                        telemetry::duration_text(std::chrono::duration_cast<std::chrono::milliseconds>(
                            *checkpoint.committed_at - checkpoint.decided_at)));
  } else {
    text += "not committed yet\n";
  }
  for (const LoggedBranch& branch : checkpoint.branches) {
    const Committable& committable = branch.committable;
    text +=
        fmt::format("    {} at {}, {}: {}, {}{}\n", committable.xid.gid(), committable.resource,
                    printable(committable.table), counted(committable.rows, "row", "rows"), to_string(branch.outcome),
                    branch.evidence.empty() ? "" : " (" + printable(branch.evidence) + ")");
  }
  return text;
}

std::string status_text(const config::JobConfig& config, const Status& status, bool with_audit) {
  std::string text = fmt::format("job         {}\nlog         {}\nowner       {}\nepoch       {}\n", config.job,
                                 config.log_path.string(), status.identity.owner, status.identity.epoch);
  if (!status.recent.empty()) text += fmt::format("checkpoint  {}\n", status.recent.front().checkpoint);
  text += fmt::format("state       {}\n", state_text(status));
  if (!status.recent.empty()) {
    text += fmt::format("position    {}\n\ncheckpoints, newest first:\n", printable(status.recent.front().position));
  }
  for (const LoggedCheckpoint& checkpoint : status.recent) text += checkpoint_text(checkpoint);
  if (!with_audit) return text;
  text += status.audit.empty() ? "\nno audit records\n" : "\naudit records, newest first:\n";
  for (const AuditRecord& record : status.audit) {
    text += fmt::format("  {} {} by {}: {}\n    seen {}; {}; result: {}\n", utc_text(record.at),
                        printable(record.action), printable(record.actor), printable(record.xid),
                        printable(record.seen), printable(record.reason), printable(record.result));
  }
  return text;
}

Json checkpoint_json(const LoggedCheckpoint& checkpoint) {
  Json branches = Json::array();
  for (const LoggedBranch& branch : checkpoint.branches) {
    branches.push_back(Json{{"xid", branch.committable.xid.gid()},
                            {"protocol", to_string(branch.committable.protocol)},
                            {"resource", branch.committable.resource},
                            {"table", branch.committable.table},
                            {"rows", branch.committable.rows},
                            {"bytes", branch.committable.bytes},
                            {"outcome", to_string(branch.outcome)},
                            {"evidence", branch.evidence}});
  }
  return Json{{"checkpoint", checkpoint.checkpoint},
              {"epoch", checkpoint.epoch},
              {"final", checkpoint.final},
              {"rows", checkpoint.rows},
              {"position", checkpoint.position},
              {"decided_at", utc_text(checkpoint.decided_at)},
              {"committed_at", checkpoint.committed_at ? Json(utc_text(*checkpoint.committed_at)) : Json(nullptr)},
              {"branches", std::move(branches)}};
}

Json status_json(const config::JobConfig& config, const Status& status, bool with_audit) {
  const bool decided = !status.recent.empty();
  Json json;
  json["job"] = config.job;
  json["log"] = config.log_path.string();
  json["owner"] = status.identity.owner;
  json["epoch"] = status.identity.epoch;
  json["checkpoint"] = decided ? Json(status.recent.front().checkpoint) : Json(nullptr);
  json["state"] = state_text(status);
  json["branches_not_committed"] = status.open_branches + status.lost_branches;
  json["branches_lost"] = status.lost_branches;
  json["position"] = decided ? Json(status.recent.front().position) : Json(nullptr);
  json["checkpoints"] = Json::array();
  for (const LoggedCheckpoint& checkpoint : status.recent) json["checkpoints"].push_back(checkpoint_json(checkpoint));
  if (with_audit) {
    json["audit"] = Json::array();
    for (const AuditRecord& record : status.audit) {
      json["audit"].push_back(Json{{"at", utc_text(record.at)},
                                   {"actor", record.actor},
                                   {"action", record.action},
                                   {"xid", record.xid},
                                   {"seen", record.seen},
                                   {"reason", record.reason},
                                   {"result", record.result}});
    }
  }
  return json;
}

}  // namespace

ExitCode status_command(const Arguments& arguments) {
  const config::JobConfig config = config::load_job(arguments.job);
  const auto log = txn::open_sqlite_log(config.log_path, config.job, txn::LogAccess::read);
  const Status status = read_status(*log, arguments);
  if (arguments.json) {
    write_json(status_json(config, status, arguments.audit));
  } else {
    write_result(status_text(config, status, arguments.audit));
  }
  return status.lost_branches > 0 ? ExitCode::look : ExitCode::done;
}

}  // namespace xasink::cli
