#include "src/job/job_targets.hpp"

#include <algorithm>
#include <filesystem>

#include "txn/table_lookup.hpp"
#include "xasink/error.hpp"

namespace xasink::job {

void check_target_count(const config::JobConfig& config) {
  if (config.targets.size() == 1) return;
  throw Error(Category::configuration,
              config.file.string() + ": job " + config.job + " has " + std::to_string(config.targets.size()) +
                  " targets; this version loads into exactly one",
              "make a job of its own for each target, each with its own `job:` name and `log:`");
}

txn::Targets open_targets(const config::JobConfig& config, const DriverRegistry& drivers) {
  txn::Targets targets;
  for (const config::TargetConfig& target : config.targets) {
    txn::TargetOptions options;
    options.url = target.url;
    options.protocol = target.protocol;
    options.spool_directory = config.spool.string();
    // Short, because the job itself goes back and tries again for as long as it may.
    options.commit_retry = {config.retry.initial, config.retry.max,
                            std::min(config.retry.limit, std::chrono::milliseconds{5'000}), config.retry.silence};
    options.commit_sessions = target.writers;
    targets.push_back(std::make_shared<txn::Target>(drivers, std::move(options)));
  }
  return targets;
}

std::shared_ptr<const TableSchema> open_table(const config::TargetConfig& config, const DriverRegistry& drivers) {
  const Driver& driver = drivers.for_url(config.url);
  // Even IF NOT EXISTS asks for the right to create, which a role that only loads need not have.
  if (config.create && !driver.open_catalog(config.url)->describe(config.table)) {
    driver.open_catalog(config.url)->create_table(TableSchema{config.table, config.columns}, config.primary_key);
  }
  std::vector<std::string> names;
  for (const Column& column : config.columns) names.push_back(column.name);
  return txn::look_up_table(driver, config.url, config.table, names);
}

}  // namespace xasink::job
