// The commands. Each writes its result to standard output and returns the exit code; everything else is thrown.
#pragma once

#include "src/cli/arguments.hpp"
#include "src/cli/exit_code.hpp"
#include "src/telemetry/logging.hpp"

namespace xasink::cli {

/// Loads. Dies anywhere: run it again.
[[nodiscard]] ExitCode run_job_command(const Arguments& arguments, const telemetry::Telemetry& telemetry);
/// Reads the log alone, also while the job runs and while its targets can't be reached. Changes nothing.
[[nodiscard]] ExitCode status_command(const Arguments& arguments);
/// Lists what is prepared. Changes nothing.
[[nodiscard]] ExitCode list_command(const Arguments& arguments, const telemetry::Telemetry& telemetry);
/// Recovers a job that does not run. Dies anywhere: run it again.
[[nodiscard]] ExitCode recover_command(const Arguments& arguments, const telemetry::Telemetry& telemetry);
[[nodiscard]] ExitCode version_command(const Arguments& arguments);

}  // namespace xasink::cli
