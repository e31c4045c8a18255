// A log that is not the one that ran last: an old copy, one whose end is gone, one that names a target the job has not.
#include <signal.h>

#include "tests/fault/refusal_trial.hpp"
#include "tests/support/catch.hpp"
#include "txn/log/sqlite_handle.hpp"

using namespace xasink::test;
namespace fs = std::filesystem;

namespace {

JobText many_files() {
  JobText text;
  text.source = "{type: csv, path: \"in*.csv\", header: true}";
  return text;
}

void copy_log(const fs::path& from, const fs::path& to) {
  for (const char* name : {"log.db", "log.db-wal", "log.db-shm"}) {
    fs::remove(to / name);
    if (fs::exists(from / name)) fs::copy(from / name, to / name);
  }
}

/// Refused also at the second and third try; the log that ran last then goes on with rows 21 to 30.
void require_old_copy_refused(const RefusalTrial& trial, const fs::path& old, const std::vector<std::string>& parts) {
  const std::string before = trial.ids();
  const TempDir newest;
  copy_log(trial.folder(), newest.path());
  copy_log(old, trial.folder());
  for (int i = 0; i < 3; ++i) {
    require_refusal(trial.xasink("run"), 3, parts);
    CHECK(trial.ids() == before);
  }
  require_refusal(trial.xasink("recover"), 3, parts);
  require_json_refusal(trial.xasink("run", {"--json"}), 3, "preflight", parts);

  copy_log(newest.path(), trial.folder());
  trial.write("in9.csv", RefusalTrial::csv(21, 30));
  const RunEnd end = trial.xasink("run");
  INFO(end.err);
  REQUIRE(end.code == 0);
  CHECK(trial.ids() == numbers_to(30));
  CHECK(trial.spool().empty());
}

}  // namespace

TEST_CASE("a copy of the log from before the last run is refused, again and again") {
  const RefusalTrial trial(many_files());
  trial.write("in.csv", RefusalTrial::csv(1, 10));
  REQUIRE(trial.xasink("run").code == 0);
  const TempDir old;
  copy_log(trial.folder(), old.path());
  trial.write("in2.csv", RefusalTrial::csv(11, 20));
  REQUIRE(trial.xasink("run").code == 0);
  REQUIRE(trial.ids() == numbers_to(20));
  require_old_copy_refused(trial, old.path(), {"job trial", "behind its target", "epoch 2", "old copy", "ran last"});
}

TEST_CASE("a copy of the log made while the last run was at work is refused, again and again") {
  const RefusalTrial trial(many_files());
  const auto job = trial.start("run", "coordinator.commit.after:stop:2");
  REQUIRE(job->wait_stopped(std::chrono::seconds(30)));
  const TempDir old;
  copy_log(trial.folder(), old.path());
  job->signal(SIGCONT);
  REQUIRE(job->wait(std::chrono::seconds(30)) == 0);
  REQUIRE(trial.ids() == numbers_to(20));
  require_old_copy_refused(trial, old.path(),
                           {"job trial", "behind its target", "checkpoint 4", "last decision is 2", "ran last"});
}

TEST_CASE("a log whose write-ahead file lost its end is refused if rows of it are there") {
  const RefusalTrial trial(many_files());
  trial.kill_at("coordinator.commit.after", 4);
  REQUIRE(trial.ids() == numbers_to(20));
  const TempDir old;
  std::string last;
  for (auto size = fs::file_size(trial.folder() / "log.db-wal"); last != "2" && size > 4096; size -= 4096) {
    copy_log(trial.folder(), old.path());
    fs::remove(old.path() / "log.db-shm");
    fs::resize_file(old.path() / "log.db-wal", size);
    const TempDir looked_at;  // looking folds the -wal in
    copy_log(old.path(), looked_at.path());
    xasink::txn::SqliteHandle log(looked_at.path() / "log.db", SQLITE_OPEN_READWRITE);
    last = log.query_text("SELECT max(checkpoint) FROM checkpoint");
  }
  REQUIRE(last == "2");
  require_old_copy_refused(trial, old.path(), {"behind its target", "last decision is 2", "its end is gone"});
}

TEST_CASE("a job file that no longer names the target of an unfinished checkpoint is refused until it does") {
  const RefusalTrial trial;
  trial.kill_at("coordinator.commit.before", 3);
  JobText moved;
  moved.url = "sqlite:elsewhere.db";
  trial.write_job(moved);
  for (int i = 0; i < 2; ++i) {
    require_refusal(trial.xasink("run"), 3,
                    {"checkpoint 3", "is decided", "/target.db", "the job file does not name", "put that target back"});
  }
  require_refusal(trial.xasink("recover"), 3, {"/target.db", "the job file does not name"});
  CHECK(trial.ids() == numbers_to(10));
  trial.write_job({});
  REQUIRE(trial.xasink("run").code == 0);
  CHECK(trial.ids() == numbers_to(20));
  CHECK(trial.spool().empty());
}
