#include <fstream>

#include "tests/integration/cli/trial_job.hpp"
#include "tests/support/catch.hpp"
#include "txn/log/sqlite_handle.hpp"

using namespace xasink::test;

TEST_CASE("recover before the first run is refused with exit code 3, and makes no log") {
  const TrialJob job("rows: 10");
  const Ended recover = run_xasink({"recover", job.file()});
  CHECK(recover.code == 3);
  CHECK_THAT(recover.err, contains("there is no log"));
  CHECK_FALSE(std::filesystem::exists(job.log()));
}

TEST_CASE("recover of a job with nothing open says so") {
  const TrialJob job("rows: 10");
  REQUIRE(run_xasink({"run", job.file()}).code == 0);
  const Ended recover = run_xasink({"recover", job.file()});
  CHECK(recover.code == 0);
  CHECK_THAT(recover.out, contains("trial: epoch 2, last checkpoint ") && contains("nothing to do"));
}

#ifdef XASINK_FAULT_POINTS

TEST_CASE("recover rolls an orphan back, commits what is decided, and a dry run only says so") {
  const bool decided = GENERATE(false, true);
  CAPTURE(decided);
  const TrialJob job("rows: 100");
  REQUIRE(run_xasink({"run", job.file()}, decided ? "log.decide.after:kill" : "log.decide.before:kill").code == 128 + 9);
  CHECK(job.rows() == 0);
  const auto status = run_xasink({"status", job.file(), "--json"}).json();
  CHECK(status["state"] == (decided ? "decided, 1 branch not committed yet" : "nothing decided yet"));

  for (int again = 0; again < 2; ++again) {  // a dry run changes nothing, so that the second says the same
    const auto dry = run_xasink({"recover", job.file(), "--dry-run", "--json"}).json();
    CHECK(dry["dry_run"] == true);
    CHECK(dry["epoch"] == 1);
    REQUIRE(dry["branches"].size() == 1);
    CHECK(dry["branches"][0]["action"] == (decided ? "committed" : "rolled back"));
    CHECK(job.rows() == 0);
  }
  CHECK_THAT(run_xasink({"recover", job.file(), "--dry-run"}).out,
             contains(decided ? "would be committed" : "would be rolled back"));

  const Ended recover = run_xasink({"recover", job.file()});
  CHECK(recover.code == 0);
  CHECK_THAT(recover.out, contains(decided ? ": committed" : ": rolled back") && contains("trial: epoch 2, "));
  CHECK(job.rows() == (decided ? 100U : 0U));
  CHECK(run_xasink({"list", job.file(), "--json"}).json()["targets"][0]["prepared"].empty());
  if (!decided) {
    const auto audited = run_xasink({"status", job.file(), "--audit", "--json"}).json();
    REQUIRE(audited["audit"].size() == 1);
    CHECK(audited["audit"][0]["actor"] == "recovery");
    CHECK(audited["audit"][0]["action"] == "rolled back");
    CHECK_THAT(run_xasink({"status", job.file(), "--audit"}).out, contains("rolled back by recovery: xasink1.trial."));
  }

  CHECK(run_xasink({"run", job.file()}).code == 0);
  CHECK(job.rows() == 100);
}

TEST_CASE("recover does not need the target table") {
  const TrialJob job("rows: 100");
  REQUIRE(run_xasink({"run", job.file()}, "log.decide.before:kill").code == 128 + 9);
  xasink::txn::SqliteHandle(job.database(), SQLITE_OPEN_READWRITE).execute("DROP TABLE trial");
  const Ended recover = run_xasink({"recover", job.file()});
  CAPTURE(recover.err);
  CHECK(recover.code == 0);
  CHECK_THAT(recover.out, contains("rolled back"));
}

TEST_CASE("a decided branch that vanished is lost: exit code 5 from recover, run and status") {
  const TrialJob job("rows: 100");
  REQUIRE(run_xasink({"run", job.file()}, "log.decide.after:kill").code == 128 + 9);
  std::size_t removed = 0;
  std::vector<std::filesystem::path> spooled;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(job.log().string() + ".spool")) {
    if (entry.path().extension() == ".prepared") spooled.push_back(entry.path());
  }
  for (const auto& path : spooled) removed += std::filesystem::remove(path) ? 1 : 0;
  REQUIRE(removed == 1);

  const Ended recover = run_xasink({"recover", job.file(), "--json"});
  CAPTURE(recover.out, recover.err);
  CHECK(recover.code == 5);
  CHECK(recover.json()["clean"] == false);
  CHECK(recover.json()["branches"][0]["action"] == "lost");
  const Ended run = run_xasink({"run", job.file(), "--json"});
  CHECK(run.code == 5);
  CHECK(run.json()["error"]["category"] == "lost");
  CHECK_THAT(run.json()["error"]["xid"].get<std::string>(), contains("xasink1.trial."));
  const Ended status = run_xasink({"status", job.file(), "--json"});
  CHECK(status.code == 5);
  CHECK(status.json()["branches_lost"] == 1);
  CHECK(job.rows() == 0);
}

#endif
