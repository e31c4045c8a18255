#include <csignal>

#include "tests/integration/cli/trial_job.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

namespace {

// script(1) gives the program a terminal, and writes what appears there to its own standard output.
std::string on_terminal(const std::string& command_line) {
  const auto options = Process::Options{};
  return run({"script", "--quiet", "--return", "--flush", "--command", command_line, "/dev/null"}, options,
             std::chrono::minutes(1));
}

}  // namespace

TEST_CASE("on a terminal one progress line is rewritten in place and is gone at the end") {
  const TrialJob job("rows: 3000, rows_per_second: 3000", "checkpoint: {interval: 100ms}\n");
  const std::string screen = on_terminal(std::string(XASINK_PROGRAM) + " run " + job.file());
  CAPTURE(screen);
  CHECK_THAT(screen, contains("\r\x1b[Ktrial: "));
  CHECK_THAT(screen, contains(" committed, ") && contains(" rows/s, checkpoint ") && contains(" %, "));
  // Taken away before the result.
  CHECK_THAT(screen, contains("\r\x1b[Ktrial: 3,000 rows committed") && contains(" rows/s\r\n"));
}

TEST_CASE("--quiet shows no progress line on a terminal") {
  const TrialJob job("rows: 1000, rows_per_second: 2000", "checkpoint: {interval: 100ms}\n");
  const std::string screen = on_terminal(std::string(XASINK_PROGRAM) + " run --quiet " + job.file());
  CAPTURE(screen);
  CHECK_THAT(screen, !contains("\x1b") && contains("1,000 rows committed"));
}

TEST_CASE("elsewhere there is no progress line and no escape sequence") {
  const TrialJob job("rows: 1000, rows_per_second: 2000", "checkpoint: {interval: 100ms}\n");
  const Ended run = run_xasink({"run", job.file()});
  CHECK(run.code == 0);
  CHECK_THAT(run.err + run.out, !contains("\x1b") && !contains("\r"));
}
