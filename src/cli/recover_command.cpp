#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/cli/commands.hpp"
#include "src/cli/result_output.hpp"
#include "src/cli/text.hpp"
#include "src/job/job_targets.hpp"
#include "src/telemetry/progress_text.hpp"
#include "txn/log/sqlite_log.hpp"
#include "xasink/drivers.hpp"

namespace xasink::cli {
namespace {

using Action = RecoveredBranch::Action;

struct Recovered {
  std::uint64_t epoch = 0;
  std::optional<std::uint64_t> checkpoint;  // the last decision
  RecoveryReport report;
};

Recovered recover(const config::JobConfig& config, bool dry_run) {
  // Recovery makes no log: an empty one names an owner of its own, and would find nothing to do for the wrong reason.
  static_cast<void>(txn::open_sqlite_log(config.log_path, config.job, txn::LogAccess::read));
  const auto log = txn::open_sqlite_log(config.log_path, config.job, txn::LogAccess::exclusive);
  const auto targets = job::open_targets(config, default_drivers());
  Recovered recovered;
  if (dry_run) {
    recovered.report = txn::preview_recovery(*log, targets);
    recovered.epoch = log->identity().epoch;
    if (const auto last = log->last_decision()) recovered.checkpoint = last->checkpoint;
  } else {
    auto done = txn::recover_job(*log, targets, 0);  // writes nothing, so that it needs no checkpoint ids
    recovered.report = std::move(done.report);
    recovered.epoch = done.identity.epoch;
    if (done.restart) recovered.checkpoint = done.restart->checkpoint;
  }
  return recovered;
}

// What a dry run says of an action, since nothing was done.
std::string_view would(Action action) noexcept {
  switch (action) {
    case Action::committed: return "would be committed";
    case Action::already_committed: return "is committed already";
    case Action::rolled_back: return "would be rolled back";
    case Action::left: return "would be left";
    case Action::in_doubt: return "would stay in doubt";
    case Action::lost: return "is lost";
    case Action::failed: return "would fail";
  }
  return "unknown";
}

std::string_view said(Action action, bool dry_run) noexcept { return dry_run ? would(action) : to_string(action); }

std::string recovered_text(const config::JobConfig& config, const Recovered& recovered, bool dry_run) {
  std::string text;
  std::map<Action, std::uint64_t> counts;
  for (const RecoveredBranch& branch : recovered.report.branches) {
    ++counts[branch.action];
    text += fmt::format("{} at {}: {}{}\n", branch.xid, branch.resource, said(branch.action, dry_run),
                        branch.reason.empty() ? "" : " (" + printable(branch.reason) + ")");
  }
  text += fmt::format(
      "{}: epoch {}, {}, ", config.job, recovered.epoch,
      recovered.checkpoint ? fmt::format("last checkpoint {}", *recovered.checkpoint) : "nothing decided yet");
  if (counts.empty()) return text + "nothing to do\n";
  text += telemetry::counted(recovered.report.branches.size(), "branch", "branches");
  const char* separator = ": ";
  for (const auto& [action, count] : counts) {
    text += fmt::format("{}{} {}", separator, telemetry::with_thousands(count), said(action, dry_run));
    separator = ", ";
  }
  return text + "\n";
}

Json recovered_json(const config::JobConfig& config, const Recovered& recovered, bool dry_run) {
  Json branches = Json::array();
  for (const RecoveredBranch& branch : recovered.report.branches) {
    branches.push_back(Json{{"xid", branch.xid},
                            {"resource", branch.resource},
                            {"action", to_string(branch.action)},
                            {"reason", branch.reason}});
  }
  return Json{{"job", config.job},
              {"dry_run", dry_run},
              {"epoch", recovered.epoch},
              {"checkpoint", recovered.checkpoint ? Json(*recovered.checkpoint) : Json(nullptr)},
              {"clean", recovered.report.clean()},
              {"branches", std::move(branches)}};
}

}  // namespace

ExitCode recover_command(const Arguments& arguments, const telemetry::Telemetry& telemetry) {
  const config::JobConfig config = config::load_job(arguments.job);
  const Recovered recovered = recover(config, arguments.dry_run);
  if (arguments.json) {
    write_json(recovered_json(config, recovered, arguments.dry_run));
  } else {
    write_result(recovered_text(config, recovered, arguments.dry_run));
  }
  if (recovered.report.clean()) return ExitCode::done;
  telemetry.log->error("job {}: not every decided branch is committed; see the reasons, then recover again",
                       config.job);
  return ExitCode::look;
}

}  // namespace xasink::cli
