// Logs that must not be used: another job's, a newer version's, damaged ones, one in use.
#include <algorithm>
#include <functional>
#include <random>

#include "tests/fault/refusal_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;
namespace fs = std::filesystem;

namespace {

/// Killed between decision and commit: rows 1 to 10 are there, 11 to 15 decided, and there may be an orphan.
void kill_before_third_commit(const RefusalTrial& trial) {
  trial.kill_at("coordinator.commit.before", 3);
  REQUIRE(trial.ids() == numbers_to(10));
}

/// What a crash leaves, kept so that a test can put it back.
class Kept {
 public:
  explicit Kept(const RefusalTrial& trial) : trial_(trial) {
    fs::copy(trial.folder(), place_.path(), fs::copy_options::recursive);
  }
  void put_back() const {
    for (const auto& entry : fs::directory_iterator(trial_.folder())) fs::remove_all(entry.path());
    fs::copy(place_.path(), trial_.folder(), fs::copy_options::recursive);
  }

 private:
  const RefusalTrial& trial_;
  TempDir place_;
};

void require_good_run(const RefusalTrial& trial) {
  const RunEnd end = trial.xasink("run");
  INFO(end.err);
  REQUIRE(end.code == 0);
  REQUIRE(trial.ids() == numbers_to(20));
  REQUIRE(trial.spool().empty());
}

/// Refused by every command that needs the log; nothing changed, so that the undamaged log goes on exactly.
void require_damage_refused(const std::function<void(const RefusalTrial&)>& damage,
                            const std::vector<std::string>& parts) {
  const RefusalTrial trial;
  kill_before_third_commit(trial);
  const auto spool = trial.spool();
  const Kept good(trial);
  damage(trial);
  for (const std::string command : {"run", "recover", "status", "list", "run"}) {
    INFO(command);
    require_refusal(trial.xasink(command), 5, parts);
  }
  require_json_refusal(trial.xasink("run", {"--json"}), 5, "corrupt", parts);
  CHECK(trial.ids() == numbers_to(10));
  CHECK(trial.spool() == spool);
  good.put_back();
  require_good_run(trial);
}

}  // namespace

TEST_CASE("the log of another job is refused by name") {
  const RefusalTrial trial;
  kill_before_third_commit(trial);
  JobText other;
  other.job = "other";
  trial.write_job(other);
  for (const std::string command : {"run", "status", "list", "recover"}) {
    require_refusal(trial.xasink(command), 3, {"log.db", "\"trial\"", "\"other\"", "log of its own"});
  }
  trial.write_job({});
  require_good_run(trial);
}

TEST_CASE("a log of a newer version is refused and left as it is") {
  const RefusalTrial trial;
  kill_before_third_commit(trial);
  CHECK(trial.from_log("PRAGMA user_version = 9").empty());
  require_refusal(trial.xasink("run"), 3, {"log.db", "version 9", "newer"});
  require_refusal(trial.xasink("status"), 3, {"log.db", "version 9"});
  CHECK(trial.from_log("PRAGMA user_version = 1").empty());
  require_good_run(trial);
}

TEST_CASE("a log of garbage is refused as damaged, and its write-ahead file is left alone") {
  const auto wal_stays = [](const RefusalTrial& trial) { CHECK(fs::file_size(trial.folder() / "log.db-wal") > 0); };
  require_damage_refused(
      [&](const RefusalTrial& trial) {
        trial.write("log.db", std::string(20'000, 'x'));
        require_refusal(trial.xasink("run"), 5, {"log.db"});
        wal_stays(trial);
      },
      {"log.db", "damaged", "no SQLite file", "restore"});
  require_damage_refused(
      [&](const RefusalTrial& trial) {
        trial.write("log.db", "");
        require_refusal(trial.xasink("status"), 5, {"log.db"});
        wal_stays(trial);
      },
      {"log.db", "damaged", "empty", "restore"});
  require_damage_refused([](const RefusalTrial& trial) { fs::remove(trial.folder() / "log.db"); },
                         {"log.db", "missing", "-wal is there"});
}

TEST_CASE("a log that is cut off in the middle is refused as damaged") {
  require_damage_refused(
      [](const RefusalTrial& trial) {
        CHECK_FALSE(trial.from_log("PRAGMA wal_checkpoint(TRUNCATE)").empty());
        fs::resize_file(trial.folder() / "log.db", 3 * 4096);
      },
      {"log.db", "malformed", "restore"});
  require_damage_refused(
      [](const RefusalTrial& trial) {
        CHECK_FALSE(trial.from_log("PRAGMA wal_checkpoint(TRUNCATE)").empty());
        fs::resize_file(trial.folder() / "log.db", 5 * 4096 + 100);
      },
      {"log.db", "restore"});
}

TEST_CASE("a flipped bit in the log is noticed, or changes nothing") {
  const RefusalTrial trial;
  kill_before_third_commit(trial);
  CHECK_FALSE(trial.from_log("PRAGMA wal_checkpoint(TRUNCATE)").empty());
  const Kept good(trial);
  const std::string log = trial.read("log.db");
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (log[i] != '\0') used.push_back(i);
  }
  std::mt19937 random(20'261'203);
  std::shuffle(used.begin(), used.end(), random);
  used.resize(150);
  // The bytes that decide most, whatever the draw: positions, names, outcomes.
  for (const char* text : {"\"offset\":", "\"bytes\":", "/0.3.0", "\"line\":"}) {
    for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) {
      used.push_back(at + std::string(text).size());
    }
  }
  unsigned refused = 0;
  for (const std::size_t at : used) {
    good.put_back();
    std::string flipped = log;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << random() % 3));
    trial.write("log.db", flipped);
    const RunEnd end = trial.xasink("run");
    INFO("byte " << at << " of " << log.size() << ", code " << end.code << ": " << end.err);
    if (end.code == 0) {
      REQUIRE(trial.ids() == numbers_to(20));
      REQUIRE(trial.spool().empty());
    } else {
      // 3: the version, which then is one that nobody knows. 2: SQLite's own mark that a file must not be written to.
      REQUIRE((end.code == 5 || end.code == 3 || end.code == 2));
      REQUIRE(trial.ids() == numbers_to(10));
      ++refused;
    }
  }
  CHECK(refused > used.size() / 2);
  good.put_back();
  require_good_run(trial);
}

TEST_CASE("a second process is refused while the first one runs, which it does not disturb") {
  JobText text;
  text.checkpoint = "checkpoint: {interval: 50ms}\n";
  text.source = "{type: generator, rows: 300, rows_per_second: 200}";
  const RefusalTrial trial(text);
  const auto first = trial.start("run");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (trial.ids().empty() && std::chrono::steady_clock::now() < end) {
  }
  const std::string holder = "process " + std::to_string(first->pid());
  require_refusal(trial.xasink("run"), 3, {"log.db", "in use", holder, "stop that process"});
  require_json_refusal(trial.xasink("run", {"--json"}), 3, "preflight", {holder});
  require_refusal(trial.xasink("recover"), 3, {"in use", holder});
  CHECK(trial.xasink("status").code == 0);
  CHECK(trial.xasink("list").code == 0);
  CHECK(first->running());
  REQUIRE(first->wait(std::chrono::seconds(60)) == 0);
  CHECK(trial.ids().ends_with(" 299"));
  CHECK(trial.spool().empty());
}
