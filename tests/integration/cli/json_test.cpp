#include "tests/integration/cli/trial_job.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

TEST_CASE("with --json every command's standard output is one JSON value") {
  const TrialJob job("rows: 1000");
  const Ended loaded = run_xasink({"run", job.file(), "--json"});
  REQUIRE(loaded.code == 0);
  const auto run = loaded.json();
  CHECK(run["job"] == "trial");
  CHECK(run["rows"] == 1000);
  CHECK(run["checkpoint"].is_number_unsigned());
  CHECK(run["seconds"].get<double>() > 0);
  CHECK(run["rows_per_second"].get<double>() > 0);
  CHECK(run["stopped"] == false);

  CHECK(run_xasink({"version", "--json"}).json()["libraries"]["sqlite"].is_string());
  CHECK(run_xasink({"status", job.file(), "--json"}).json()["state"] == "committed");
  CHECK(run_xasink({"list", job.file(), "--json"}).json()["targets"].size() == 1);
  CHECK(run_xasink({"recover", job.file(), "--json"}).json()["clean"] == true);
}

TEST_CASE("with --json an error is an object on standard output, with the exit code in it") {
  const Ended usage = run_xasink({"--json", "runn"});
  CHECK(usage.code == 2);
  CHECK(usage.json()["exit_code"] == 2);
  CHECK(usage.json()["error"]["category"] == "usage");
  CHECK(usage.err.empty());

  const TrialJob job("rows: 10");
  const Ended refused = run_xasink({"status", job.file(), "--json"});
  CHECK(refused.code == 3);
  CHECK(refused.json()["exit_code"] == 3);
  CHECK(refused.json()["error"]["category"] == "preflight");
  CHECK_THAT(refused.json()["error"]["message"].get<std::string>(), contains("there is no log"));
}

TEST_CASE("an error that nobody reads on standard output is told on standard error") {
  Process process({"sh", "-c", "exec \"$0\" --json runn >&-", XASINK_PROGRAM});
  CHECK(process.wait(std::chrono::minutes(1)) == 2);
  CHECK_THAT(process.err(), contains("there is no command"));
}

TEST_CASE("a result that can't be written is a failure") {
  Process process({"sh", "-c", "exec \"$0\" version > /dev/full", XASINK_PROGRAM});
  CHECK(process.wait(std::chrono::minutes(1)) == 1);
  CHECK_THAT(process.err(), contains("can't write the result"));
}
