// Spool files that are damaged or left behind, disks that are full, folders that can't be written.
#include <algorithm>
#include <fstream>

#include "tests/fault/refusal_trial.hpp"
#include "tests/support/catch.hpp"
#include "txn/log/sqlite_handle.hpp"

using namespace xasink::test;
namespace fs = std::filesystem;

namespace {

JobText two_writers() {
  JobText text;
  text.target += "    writers: 2\n";
  return text;
}

fs::path spool_file(const RefusalTrial& trial, const std::string& part) {
  const auto names = trial.spool();
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const std::string& name) { return name.find(part) != std::string::npos; });
  REQUIRE(found != names.end());
  return trial.folder() / "log.db.spool" / *found;
}

void overwrite(const fs::path& file, std::uint64_t at) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(at));
  stream << "zzzz";
  REQUIRE(stream.flush());
}

void require_good_run(const RefusalTrial& trial) {
  const RunEnd end = trial.xasink("run");
  INFO(end.err);
  REQUIRE(end.code == 0);
  CHECK(trial.ids() == numbers_to(20));
  CHECK(trial.spool().empty());
  CHECK(trial.xasink("status").code == 0);
}

}  // namespace

TEST_CASE("a damaged spool file of a decided checkpoint ends in exit code 5 and is kept until it is mended") {
  for (const std::uint64_t at : {20, 300}) {
    const RefusalTrial trial;
    trial.kill_at("coordinator.commit.before", 3);
    const fs::path decided = spool_file(trial, ".3.0.");
    fs::copy(decided, trial.folder() / "good");
    overwrite(decided, at);
    for (int i = 0; i < 2; ++i) {
      require_refusal(trial.xasink("run"), 5, {decided.string(), "damaged at byte", "decided", "restore the file"});
      CHECK(trial.ids() == numbers_to(10));
      CHECK(fs::exists(decided));
      CHECK(trial.spool().size() == 1);  // an orphan beside it is gone
    }
    require_json_refusal(trial.xasink("run", {"--json"}), 5, "in_doubt", {decided.string(), "damaged at byte"});
    CHECK(trial.xasink("recover").code == 5);
    CHECK_THAT(trial.xasink("status").out, contains("1 branch not committed yet"));
    fs::copy(trial.folder() / "good", decided, fs::copy_options::overwrite_existing);
    require_good_run(trial);
  }
}

TEST_CASE("a spool file of a decided checkpoint that is gone is lost, at each run anew") {
  const RefusalTrial trial;
  trial.kill_at("coordinator.commit.before", 3);
  const fs::path decided = spool_file(trial, ".3.0.");
  fs::rename(decided, trial.folder() / "away");
  for (int i = 0; i < 2; ++i) {
    require_refusal(trial.xasink("run"), 5, {"lost", decided.string(), "Keep the log"});
    CHECK(trial.ids() == numbers_to(10));
  }
  CHECK(trial.xasink("status").code == 5);
  fs::rename(trial.folder() / "away", decided);
  require_good_run(trial);
}

TEST_CASE("a damaged spool file of an undecided checkpoint is rolled back, and its rows are read again") {
  for (const char* how : {"header", "block", "cut", "empty"}) {
    INFO(how);
    const RefusalTrial trial;
    trial.kill_at("coordinator.decide.before", 3);
    const fs::path orphan = spool_file(trial, ".3.0.");
    if (how == std::string("header")) overwrite(orphan, 20);
    if (how == std::string("block")) overwrite(orphan, 300);
    if (how == std::string("cut")) fs::resize_file(orphan, 50);
    if (how == std::string("empty")) fs::resize_file(orphan, 0);
    CHECK_THAT(trial.xasink("list").out, contains("recovery rolls it back") && contains(".3.0."));
    CHECK_THAT(trial.xasink("recover", {"--dry-run"}).out, contains("would be rolled back"));
    CHECK(fs::exists(orphan));
    require_good_run(trial);
  }
}

TEST_CASE("a spool file that was being written is removed, and its rows are read again") {
  for (const char* point : {"staged.created", "staged.rows_spooled", "staged.footer_written", "staged.synced"}) {
    INFO(point);
    const RefusalTrial trial(two_writers());
    trial.kill_at(point, 3);
    CHECK(spool_file(trial, ".inprogress").string().find("trial") != std::string::npos);
    // Not the job's: stays.
    const std::string foreign = "xasink1.other.0a1b2c3d4e.1~0.1.0.00000000.inprogress";
    trial.write("log.db.spool/" + foreign, "x");
    REQUIRE(trial.xasink("run").code == 0);
    CHECK(trial.ids() == numbers_to(20));
    CHECK(trial.spool() == std::vector<std::string>{foreign});
  }
}

TEST_CASE("a full disk under the log or the spool folder ends the job in one sentence, and it goes on with space") {
  if (!may_mount()) return;
  struct Disk {
    const char* kib;
    const char* log;
    const char* spool;
    const char* words;
  };
  for (const Disk& disk : {Disk{"8", "small/log.db", "spool", "log"}, Disk{"40", "small/log.db", "spool", "log"},
                           Disk{"100", "small/log.db", "spool", "log"}, Disk{"8", "log.db", "small/spool", "spool"},
                           Disk{"20", "log.db", "small/spool", "spool"}}) {
    INFO(disk.kib << " KiB under the " << disk.words);
    JobText text;
    text.checkpoint = "checkpoint: {rows: 100}\n";
    text.source = "{type: generator, rows: 1000}";
    text.log = std::string("sqlite:") + disk.log;
    const RefusalTrial trial(text);
    text.more += "spool: " + (trial.folder() / disk.spool).string() + "\n";
    trial.write_job(text);
    // One namespace for both runs: the small disk ends with it.
    const RunEnd script = trial.shell(
        "unshare -m sh -c 'mkdir small && mount -t tmpfs -o size=" + std::string(disk.kib) +
        "k none small && { $XASINK run job.yaml >out 2>err; echo $? >code; $XASINK run --json job.yaml >json 2>/dev/null; "
        "echo $? >code2; mount -o remount,size=20m small; $XASINK run job.yaml >out2 2>err2; echo $? >code3; ls "
        "small/spool spool 2>/dev/null | grep -c prepared >left; }'");
    INFO(script.err);
    require_refusal({std::stoi(trial.read("code")), trial.read("out"), trial.read("err")}, 1, {disk.words, "free space"});
    require_json_refusal({std::stoi(trial.read("code2")), trial.read("json"), ""}, 1,
                         disk.words == std::string("log") ? "resources" : "io", {disk.words, "free space"});
    INFO(trial.read("err2"));
    REQUIRE(trial.read("code3") == "0\n");
    CHECK(trial.read("left") == "0\n");
    xasink::txn::SqliteHandle database(trial.folder() / "target.db", SQLITE_OPEN_READWRITE);
    CHECK(database.query_text("SELECT count(*) || ' ' || count(DISTINCT id) || ' ' || max(id) FROM t") == "1000 1000 999");
  }
}

TEST_CASE("a folder that can't be written or is not there is refused by name") {
  JobText text;
  text.log = "sqlite:nowhere/log.db";
  require_refusal(RefusalTrial(text).xasink("run"), 2, {"nowhere/log.db", "No such file", "make the folder"});
  if (!may_mount()) return;
  for (const bool log : {true, false}) {
    JobText job;
    if (log) job.log = "sqlite:disk/log.db";
    const RefusalTrial trial(job);
    if (!log) job.more += "spool: " + (trial.folder() / "disk/spool").string() + "\n";
    trial.write_job(job);
    const RunEnd script = trial.shell(
        "unshare -m sh -c 'mkdir disk && mount -t tmpfs none disk && mount -o remount,ro disk && { $XASINK run job.yaml "
        ">out 2>err; echo $? >code; mount -o remount,rw disk; $XASINK run job.yaml >out2 2>err2; echo $? >code2; }'");
    INFO(script.err);
    require_refusal({std::stoi(trial.read("code")), trial.read("out"), trial.read("err")}, 2,
                    {log ? "disk/log.db" : "disk/spool", "Read-only file system", "writ"});
    REQUIRE(trial.read("code2") == "0\n");
    CHECK(trial.ids() == numbers_to(20));
  }
}
