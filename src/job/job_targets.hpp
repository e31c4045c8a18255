// From the job file to the core's targets.
#pragma once

#include "config/job_config.hpp"
#include "txn/recovery.hpp"

namespace xasink::job {

/// Refuses what a running job can't do yet: more targets than one. Recovery and listing take any number.
/// \throws Error (configuration)
void check_target_count(const config::JobConfig& config);

/// Connects to every target of the job. \throws Error
[[nodiscard]] txn::Targets open_targets(const config::JobConfig& config, const DriverRegistry& drivers);

/// The columns rows are written to; makes the table first if the job asks for that. \throws Error (preflight)
[[nodiscard]] std::shared_ptr<const TableSchema> open_table(const config::TargetConfig& config,
                                                            const DriverRegistry& drivers);

}  // namespace xasink::job
