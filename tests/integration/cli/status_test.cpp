#include "tests/integration/cli/trial_job.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

TEST_CASE("status before the first run is refused with exit code 3") {
  const TrialJob job("rows: 10");
  const Ended status = run_xasink({"status", job.file()});
  CHECK(status.code == 3);
  CHECK(status.out.empty());
  CHECK_THAT(status.err, contains("there is no log"));
  CHECK_FALSE(std::filesystem::exists(job.log()));
}

TEST_CASE("status tells position, checkpoints and branches with their outcome") {
  const TrialJob job("rows: 1000", "checkpoint: {interval: 1h, rows: 100}\n");
  REQUIRE(run_xasink({"run", job.file()}).code == 0);
  const auto status = run_xasink({"status", job.file(), "--json", "--last", "3"}).json();
  CHECK(status["job"] == "trial");
  CHECK(status["epoch"] == 1);
  CHECK(status["state"] == "committed");
  CHECK(status["branches_not_committed"] == 0);
  REQUIRE(status["checkpoints"].size() == 3);
  const auto& newest = status["checkpoints"][0];
  CHECK(status["checkpoint"] == newest["checkpoint"]);
  CHECK(status["position"] == newest["position"]);
  CHECK(newest["committed_at"].is_string());
  REQUIRE(newest["branches"].size() == 1);
  CHECK(newest["branches"][0]["outcome"] == "committed");
  CHECK(newest["branches"][0]["protocol"] == "staged");
  CHECK(newest["branches"][0]["rows"] == newest["rows"]);
  CHECK(status["checkpoints"][1]["checkpoint"].get<int>() + 1 == newest["checkpoint"].get<int>());

  const Ended text = run_xasink({"status", job.file(), "--last", "1"});
  CHECK(text.code == 0);
  CHECK_THAT(text.out, contains("state       committed\n") && contains("committed") && contains("trial.db"));
  CHECK(text.err.empty());
}

TEST_CASE("status works while the job runs and when the target is gone") {
  const TrialJob job("rows_per_second: 1000", "checkpoint: {interval: 50ms}\n");
  {
    const auto running = start_xasink({"run", job.file()});
    REQUIRE(eventually([&] { return job.rows() > 0; }));
    CHECK(run_xasink({"status", job.file()}).code == 0);
    CHECK(running->running());
  }
  std::filesystem::remove(job.database());
  CHECK(run_xasink({"status", job.file()}).code == 0);
  CHECK_FALSE(std::filesystem::exists(job.database()));
}
