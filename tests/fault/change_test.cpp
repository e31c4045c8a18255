// A job whose file changes between runs that left something unfinished, and stops at any moment.
#include <csignal>

#include <random>

#include "tests/fault/load_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr int kKilled = 128 + SIGKILL;

PrivatePostgres& server() {
  static PrivatePostgres server;
  return server;
}

}  // namespace

TEST_CASE("a job may change its protocol with branches unfinished: decided ones are committed, others are not") {
  for (const char* fault : {"coordinator.commit.before:kill:2", "coordinator.decide.before:kill:2"}) {
    for (const bool prepared_first : {true, false}) {
      INFO("killed at " << fault << ", first " << (prepared_first ? "prepared" : "staged"));
      LoadOptions options;
      options.rows = 4'000;
      const LoadTrial trial(prepared_first ? Kind::postgresql_prepared : Kind::postgresql_staged, &server(), options);
      const std::string one = prepared_first ? "protocol: prepared" : "protocol: staged";
      const std::string two = prepared_first ? "protocol: staged" : "protocol: prepared";
      const auto prepared = [&] {
        return server().value("SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE 'xasink1." + trial.job() + ".%'");
      };
      REQUIRE(trial.xasink("run", fault).code == kKilled);
      CHECK((prepared() != "0") == prepared_first);
      trial.change(one, two);
      REQUIRE(trial.xasink("run", fault).code == kKilled);
      CHECK((prepared() != "0") == !prepared_first);
      trial.change(two, one);
      const RunEnd rest = trial.xasink("run");
      INFO(rest.err);
      REQUIRE(rest.code == 0);
      CHECK(prepared() == "0");
      trial.require_complete();
    }
  }
}

TEST_CASE("the number of writers may change with branches of writers unfinished that no longer exist") {
  for (const char* fault : {"coordinator.commit.before:kill:2", "coordinator.decide.before:kill:2", "any:kill:60"}) {
    INFO("killed at " << fault);
    LoadOptions options;
    options.rows = 30'000;
    options.checkpoint = "{rows: 5000}";
    options.more = "branch: {rows: 2000}\n";
    options.writers = 5;
    const LoadTrial trial(Kind::postgresql_prepared, &server(), options);
    REQUIRE(trial.xasink("run", fault).code == kKilled);
    trial.change("writers: 5", "writers: 1");
    REQUIRE(trial.xasink("run", fault).code == kKilled);
    trial.change("writers: 1", "writers: 3");
    const RunEnd rest = trial.xasink("run");
    INFO(rest.err);
    REQUIRE(rest.code == 0);
    trial.require_complete();
  }
}

TEST_CASE("a job asked to stop at any moment takes a last checkpoint and leaves nothing open") {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> wait(0, 250);
  for (const Kind kind : {Kind::postgresql_prepared, Kind::postgresql_staged}) {
    LoadOptions options;
    options.rows = 6'000;
    options.checkpoint = "{interval: 20ms}";
    options.source_more = ", rows_per_second: 4000";
    const LoadTrial trial(kind, &server(), options);
    std::uint64_t before = 0;
    for (int i = 0; i < 8; ++i) {
      const auto job = trial.start("run");
      // Asked before it can hear is ended at once, which is the other promise.
      while (job->running() && job->err().find("epoch") == std::string::npos) job->wait(milliseconds(1));
      job->wait(milliseconds(wait(random)));
      job->signal(i % 2 == 0 ? SIGTERM : SIGINT);
      const auto code = job->wait(seconds(20));
      INFO(job->err());
      REQUIRE(code == 0);
      CHECK(trial.left_behind() == std::vector<std::string>{});
      const std::uint64_t rows = trial.rows_without_gap();
      CHECK(rows >= before);
      before = rows;
    }
    const RunEnd rest = trial.xasink("run");
    INFO(rest.err);
    REQUIRE(rest.code == 0);
    trial.require_complete();
  }
}
