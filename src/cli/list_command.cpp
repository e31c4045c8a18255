#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/cli/commands.hpp"
#include "src/cli/result_output.hpp"
#include "src/cli/text.hpp"
#include "src/cli/verdict.hpp"
#include "src/job/job_targets.hpp"
#include "src/telemetry/progress_text.hpp"
#include "txn/log/sqlite_log.hpp"
#include "xasink/drivers.hpp"

namespace xasink::cli {
namespace {

struct Listed {
  PreparedTransaction transaction;
  Verdict verdict;
};

struct ListedTarget {
  std::string resource;
  std::string note;  // why the list may say less than there is; empty if it doesn't
  std::vector<Listed> transactions;
};

std::string note_on(const txn::Target& target) {
  const Capabilities capabilities = target.driver().open_catalog(target.options().url)->capabilities();
  const bool spool = !target.options().spool_directory.empty();
  const Protocol protocol = target.options().protocol.value_or(target.driver().default_protocol());
  if (!capabilities.two_phase && protocol == Protocol::prepared) {
    return "prepared transactions can't be used here: " + capabilities.two_phase_reason;
  }
  if (!spool && target.driver().default_protocol() == Protocol::staged) {
    return "branches of this database lie in spool files; give the job file to list them";
  }
  return {};
}

// The list, then the log, then the list again: what is in only one of the lists was begun or finished meanwhile, and
// the log that was read in between says nothing certain about it.
ListedTarget list_target(txn::Target& target, TransactionLog* log) {
  ListedTarget listed{target.name(), note_on(target), {}};
  const auto first = target.list();
  if (log == nullptr) {
    for (const PreparedTransaction& one : first) listed.transactions.push_back({one, judge(one, std::nullopt)});
    return listed;
  }
  const LogView view{log->identity(), [&](const Xid& xid) { return log->decided(xid); }};
  std::vector<Verdict> verdicts;
  for (const PreparedTransaction& one : first) verdicts.push_back(judge(one, view));
  std::set<std::string> again;
  for (const PreparedTransaction& one : target.list()) again.insert(one.gid);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (again.contains(first[i].gid)) listed.transactions.push_back({first[i], verdicts[i]});
  }
  return listed;
}

std::vector<ListedTarget> list_job(const Arguments& arguments, const telemetry::Telemetry& telemetry) {
  const config::JobConfig config = config::load_job(arguments.job);
  const auto targets = job::open_targets(config, default_drivers());
  std::unique_ptr<TransactionLog> log;
  if (txn::has_sqlite_log(config.log_path)) {
    log = txn::open_sqlite_log(config.log_path, config.job, txn::LogAccess::read);
  } else {
    telemetry.log->warn("there is no log {} yet: it can't be told what is to become of the job's branches",
                        config.log_path.string());
  }
  std::vector<ListedTarget> listed;
  for (const auto& target : targets) {
    // Two tables of one database are two targets.
    const bool known = std::any_of(listed.begin(), listed.end(),
                                   [&](const ListedTarget& one) { return one.resource == target->name(); });
    if (!known) listed.push_back(list_target(*target, log.get()));
  }
  return listed;
}

std::vector<ListedTarget> list_url(const Arguments& arguments) {
  txn::TargetOptions options;
  options.url = arguments.url;
  txn::Target target(default_drivers(), std::move(options));
  return {list_target(target, nullptr)};
}

std::optional<std::chrono::milliseconds> age_of(const PreparedTransaction& transaction, Time now) {
  if (!transaction.prepared_at) return std::nullopt;
  // The server's clock may be ahead of ours.
  return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(now - *transaction.prepared_at),
                  std::chrono::milliseconds{0});
}

std::string transaction_text(const Listed& listed, Time now) {
  const PreparedTransaction& transaction = listed.transaction;
  std::string text = "  " + printable(transaction.gid) + "\n";
  if (const auto& xid = transaction.xid) {
    text += fmt::format("    job {}, owner {}, epoch {}, writer {}, checkpoint {}, part {}\n", xid->job, xid->owner,
                        xid->epoch, xid->writer, xid->checkpoint, xid->part);
  }
  std::string origin;
  if (const auto age = age_of(transaction, now)) origin += fmt::format(" {} ago", telemetry::duration_text(*age));
  if (!transaction.owner_role.empty()) origin += " by role " + printable(transaction.owner_role);
  if (!transaction.database.empty()) origin += " in database " + printable(transaction.database);
  if (!origin.empty()) text += "    prepared" + origin + "\n";
  return text + fmt::format("    {}: {}\n", to_string(listed.verdict.kind), listed.verdict.reason);
}

std::string list_text(const std::vector<ListedTarget>& targets, Time now) {
  std::string text;
  for (const ListedTarget& target : targets) {
    text +=
        fmt::format("{}: {}\n", target.resource,
                    telemetry::counted(target.transactions.size(), "prepared transaction", "prepared transactions"));
    for (const Listed& listed : target.transactions) text += transaction_text(listed, now);
  }
  return text;
}

Json transaction_json(const Listed& listed, Time now) {
  const PreparedTransaction& transaction = listed.transaction;
  Json xid = nullptr;
  if (transaction.xid) {
    xid = Json{{"job", transaction.xid->job},
               {"owner", transaction.xid->owner},
               {"epoch", transaction.xid->epoch},
               {"writer", transaction.xid->writer},
               {"checkpoint", transaction.xid->checkpoint},
               {"part", transaction.xid->part}};
  }
  const auto or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  const auto age = age_of(transaction, now);
  return Json{{"gid", transaction.gid},
              {"xid", std::move(xid)},
              {"prepared_at", transaction.prepared_at ? Json(utc_text(*transaction.prepared_at)) : Json(nullptr)},
              {"age_seconds", age ? Json(static_cast<double>(age->count()) / 1000) : Json(nullptr)},
              {"role", or_null(transaction.owner_role)},
              {"database", or_null(transaction.database)},
              {"finishable", transaction.finishable},
              {"verdict", to_string(listed.verdict.kind)},
              {"reason", listed.verdict.reason}};
}

Json list_json(const std::vector<ListedTarget>& targets, Time now) {
  Json json{{"targets", Json::array()}};
  for (const ListedTarget& target : targets) {
    Json transactions = Json::array();
    for (const Listed& listed : target.transactions) transactions.push_back(transaction_json(listed, now));
    json["targets"].push_back(Json{{"resource", target.resource},
                                   {"note", target.note.empty() ? Json(nullptr) : Json(target.note)},
                                   {"prepared", std::move(transactions)}});
  }
  return json;
}

}  // namespace

ExitCode list_command(const Arguments& arguments, const telemetry::Telemetry& telemetry) {
  const auto targets = arguments.url.empty() ? list_job(arguments, telemetry) : list_url(arguments);
  const Time now = std::chrono::system_clock::now();
  for (const ListedTarget& target : targets) {
    if (!target.note.empty()) telemetry.log->warn("{}: {}", target.resource, target.note);
  }
  if (arguments.json) {
    write_json(list_json(targets, now));
  } else {
    write_result(list_text(targets, now));
  }
  return ExitCode::done;
}

}  // namespace xasink::cli
