#include <cstdlib>
#include <fstream>

#include "tests/integration/cli/trial_job.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

TEST_CASE("list of a job that never ran says that it can't tell") {
  const TrialJob job("rows: 10");
  std::ofstream(job.database());  // an empty database
  const Ended list = run_xasink({"list", job.file()});
  CHECK(list.code == 0);
  CHECK_THAT(list.out, contains("0 prepared transactions"));
  CHECK_THAT(list.err, contains("there is no log"));
}

TEST_CASE("list of a database that is not there is refused, not taken for an empty one") {
  const TrialJob job("rows: 10");
  const Ended list = run_xasink({"list", job.file()});
  CHECK(list.code == 3);
  CHECK_THAT(list.err, contains("there is no such database file"));
  CHECK_FALSE(std::filesystem::exists(job.database()));
}

TEST_CASE("list of a SQLite database by its URL says that branches lie elsewhere") {
  const TrialJob job("rows: 10");
  REQUIRE(run_xasink({"run", job.file()}).code == 0);
  const Ended list = run_xasink({"list", "--url", "sqlite:" + job.database().string(), "--json"});
  CHECK(list.code == 0);
  const auto target = list.json()["targets"][0];
  CHECK(target["prepared"].empty());
  CHECK_THAT(target["note"].get<std::string>(), contains("spool files"));
}

TEST_CASE("a URL that no driver serves is a usage error that shows no password") {
  const Ended list = run_xasink({"list", "--url", "oracle://app:s3cret@db/shop"});
  CHECK(list.code == 2);
  CHECK_THAT(list.err, contains("xasink: ") && !contains("s3cret"));
}

#ifdef XASINK_FAULT_POINTS

TEST_CASE("list tells an orphan from a branch that is decided, and why") {
  const bool decided = GENERATE(false, true);
  CAPTURE(decided);
  const TrialJob job("rows: 100");
  const Ended killed = run_xasink({"run", job.file()}, decided ? "log.decide.after:kill" : "log.decide.before:kill");
  REQUIRE(killed.code == 128 + 9);

  const auto listed = run_xasink({"list", job.file(), "--json"}).json();
  const auto& prepared = listed["targets"][0]["prepared"];
  REQUIRE(prepared.size() == 1);
  CHECK(prepared[0]["xid"]["job"] == "trial");
  CHECK(prepared[0]["xid"]["epoch"] == 1);
  CHECK(prepared[0]["verdict"] == (decided ? "commit" : "live or rollback by recovery"));
  CHECK_THAT(prepared[0]["reason"].get<std::string>(),
             contains(decided ? "is decided and names it" : "not decided yet"));
  CHECK(prepared[0]["age_seconds"].get<double>() >= 0);

  const Ended text = run_xasink({"list", job.file()});
  CHECK_THAT(text.out, contains("1 prepared transaction\n") && contains("job trial, owner ") &&
                           contains(decided ? "    commit: " : "    live or rollback by recovery: "));

  // Without its log nobody can tell.
  std::filesystem::rename(job.log(), job.folder() / "elsewhere.db");
  for (const char* more : {"-wal", "-shm"}) std::filesystem::remove(job.log().string() + more);
  const auto unknown = run_xasink({"list", job.file(), "--json"}).json();
  CHECK(unknown["targets"][0]["prepared"][0]["verdict"] == "unknown");
}

#endif
