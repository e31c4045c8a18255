#include <fmt/format.h>

#include "src/cli/commands.hpp"
#include "src/cli/result_output.hpp"
#include "src/cli/stop_signals.hpp"
#include "src/job/job_runner.hpp"
#include "src/telemetry/progress_reporter.hpp"
#include "xasink/drivers.hpp"

namespace xasink::cli {

ExitCode run_job_command(const Arguments& arguments, const telemetry::Telemetry& telemetry) {
  const std::atomic<bool>& stop = watch_stop_signals();
  const config::JobConfig config = config::load_job(arguments.job);
  const auto begun = std::chrono::steady_clock::now();
  job::JobResult result;
  {
    telemetry::ProgressReporter reporter(config.job, telemetry, stop, arguments.quiet);
    result = job::run_job(config, default_drivers(), stop, reporter);
  }
  const auto took = std::chrono::steady_clock::now() - begun;
  const double seconds = std::chrono::duration<double>(took).count();
  const double rate = seconds > 0 ? static_cast<double>(result.rows) / seconds : 0;

  if (arguments.json) {
    write_json(Json{{"job", config.job},
                    {"rows", result.rows},
                    {"checkpoint", result.checkpoint == 0 ? Json(nullptr) : Json(result.checkpoint)},
                    {"seconds", seconds},
                    {"rows_per_second", rate},
                    {"stopped", result.stopped}});
    return ExitCode::done;
  }
  const std::string checkpoint =
      result.checkpoint == 0 ? "no checkpoint" : fmt::format("checkpoint {}", result.checkpoint);
  write_result(fmt::format("{}: {} committed, {}, {}, {}{}\n", config.job,
                           telemetry::counted(result.rows, "row", "rows"), checkpoint,
                           telemetry::duration_text(std::chrono::duration_cast<std::chrono::milliseconds>(took)),
                           telemetry::rate_text(rate), result.stopped ? ", stopped as asked" : ""));
  return ExitCode::done;
}

}  // namespace xasink::cli
