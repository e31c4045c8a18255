// xasink: loads rows into SQL databases exactly once.
#include "src/cli/arguments.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/error_report.hpp"
#include "src/cli/stop_signals.hpp"

namespace {

using namespace xasink;

cli::ExitCode execute(const cli::Arguments& arguments) {
  const telemetry::Telemetry telemetry = telemetry::open_telemetry(arguments.log_level);
  switch (arguments.command) {
    case cli::Command::run: return cli::run_job_command(arguments, telemetry);
    case cli::Command::status: return cli::status_command(arguments);
    case cli::Command::list: return cli::list_command(arguments, telemetry);
    case cli::Command::recover: return cli::recover_command(arguments, telemetry);
    case cli::Command::version: return cli::version_command(arguments);
  }
  return cli::ExitCode::failed;
}

cli::ExitCode parse_and_execute(int argc, const char* const* argv) {
  const auto parsed = cli::parse_arguments(argc, argv);
  if (const auto* answer = std::get_if<cli::Answer>(&parsed)) {
    cli::write_result(answer->text);
    return cli::ExitCode::done;
  }
  return execute(std::get<cli::Arguments>(parsed));
}

}  // namespace

int main(int argc, char** argv) {
  cli::ignore_broken_pipes();
  try {
    return static_cast<int>(parse_and_execute(argc, argv));
  } catch (...) {
    return static_cast<int>(cli::report(std::current_exception(), cli::wants_json(argc, argv)));
  }
}
