// Dies at every point of the protocol, in the job and again in recovery, and looks at what is there.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/fault/load_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

namespace {

constexpr int kKilled = 128 + 9;

// Every fault point there is, read from the sources, so that none can be forgotten.
const std::set<std::string>& fault_points() {
  static const std::set<std::string> kPoints = [] {
    std::set<std::string> points;
    const std::regex call(R"re(XASINK_FAULT_POINT\("([^"]+)"\))re");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(XASINK_TXN_FOLDER)) {
      if (entry.path().extension() != ".cpp") continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      const std::string source = text.str();
      for (std::sregex_iterator found(source.begin(), source.end(), call), end; found != end; ++found) {
        points.insert((*found)[1]);
      }
    }
    return points;
  }();
  return kPoints;
}

PrivatePostgres& server() {
  static PrivatePostgres server;
  return server;
}

// Points that killed a process somewhere in this program.
std::set<std::string>& reached() {
  static std::set<std::string> points;
  return points;
}

std::unique_ptr<LoadTrial> make_trial(Kind kind) {
  return std::make_unique<LoadTrial>(kind, kind == Kind::sqlite ? nullptr : &server());
}

// Lets recovery die at its first point, its second, … until it gets through. \returns how often it died
int recover_dying(const LoadTrial& trial) {
  for (int passage = 1;; ++passage) {
    REQUIRE(passage < 200);
    const RunEnd end = trial.xasink("recover", "any:kill:" + std::to_string(passage));
    INFO(end.err);
    if (end.code == 0) return passage - 1;
    REQUIRE(end.code == kKilled);
  }
}

void die_and_recover(Kind kind, const std::string& point, int passage) {
  INFO(to_string(kind) << ": killed at passage " << passage << " of " << point);
  const auto trial = make_trial(kind);
  const RunEnd first = trial->xasink("run", point + ":kill:" + std::to_string(passage));
  if (first.code != kKilled) {  // this way does not lead there
    INFO(first.err);
    REQUIRE(first.code == 0);
    return;
  }
  reached().insert(point);
  const int deaths = recover_dying(*trial);
  CHECK(deaths >= 2);
  // What recovery leaves: whole checkpoints, nothing prepared.
  CHECK(trial->rows_without_gap() % 500 == 0);
  CHECK(trial->left_behind() == std::vector<std::string>{});
  // A second recovery finds nothing to do.
  const RunEnd again = trial->xasink("recover");
  CHECK(again.code == 0);
  const RunEnd rest = trial->xasink("run");
  INFO(rest.err);
  REQUIRE(rest.code == 0);
  trial->require_complete();
}

void die_everywhere(Kind kind) {
  for (const std::string& point : fault_points()) {
    for (const int passage : {1, 4}) die_and_recover(kind, point, passage);
  }
}

// Points that only recovery passes: something must be there to recover first.
void die_in_recovery(Kind kind) {
  for (const std::string& point : fault_points()) {
    if (reached().contains(point)) continue;
    // Prepared and decided, prepared and undecided, applied but not recorded: one of these leads there.
    for (const char* before : {"coordinator.commit.before", "log.decide.before", "prepared.commit.after",
                               "staged.committed", "staged.removed", "staged.footer_written"}) {
      const auto trial = make_trial(kind);
      if (trial->xasink("run", std::string(before) + ":kill:3").code != kKilled) continue;
      const RunEnd recovery = trial->xasink("recover", point + ":kill");
      if (recovery.code == kKilled) reached().insert(point);
      INFO(to_string(kind) << ": killed at " << before << ", then at " << point);
      INFO(recovery.err);
      REQUIRE((recovery.code == kKilled || recovery.code == 0));
      const RunEnd rest = trial->xasink("run");
      INFO(rest.err);
      REQUIRE(rest.code == 0);
      trial->require_complete();
    }
  }
}

// A failure instead of a death: the job goes back to its last decision inside the process.
void fail_everywhere(Kind kind) {
  for (const std::string& point : fault_points()) {
    INFO(to_string(kind) << ": error at " << point);
    const auto trial = make_trial(kind);
    const RunEnd end = trial->xasink("run", point + ":error:2");
    INFO(end.err);
    REQUIRE(end.code == 0);
    trial->require_complete();
  }
}

}  // namespace

TEST_CASE("the fault points are found in the sources") {
  CHECK(fault_points().size() >= 40);
  CHECK(fault_points().contains("log.decide.before"));
  CHECK(fault_points().contains("prepared.prepare.after"));
}

TEST_CASE("PostgreSQL, prepared: a job killed anywhere, and again anywhere in recovery, loads every row once") {
  die_everywhere(Kind::postgresql_prepared);
  die_in_recovery(Kind::postgresql_prepared);
}

TEST_CASE("SQLite: a job killed anywhere, and again anywhere in recovery, loads every row once") {
  die_everywhere(Kind::sqlite);
  die_in_recovery(Kind::sqlite);
}

TEST_CASE("PostgreSQL, staged: a job killed anywhere, and again anywhere in recovery, loads every row once") {
  die_everywhere(Kind::postgresql_staged);
}

TEST_CASE("a failure anywhere takes the job back to its last decision, and every row is there once") {
  fail_everywhere(Kind::postgresql_prepared);
  fail_everywhere(Kind::postgresql_staged);
  fail_everywhere(Kind::sqlite);
}

TEST_CASE("every fault point has killed a process in these tests") {
  for (const std::string& point : fault_points()) {
    INFO(point);
    CHECK(reached().contains(point));
  }
}
