// SIGKILL at random moments. XASINK_KILLS and XASINK_KILL_ROWS make it longer: 50 and 1000000 are what the project
// promises.
#include <cstdlib>
#include <random>
#include <thread>

#include "tests/fault/load_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

namespace {

unsigned long from_environment(const char* name, unsigned long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoul(text);
}

void kill_at_random(Kind kind, PrivatePostgres* server) {
  const unsigned long kills = from_environment("XASINK_KILLS", 12);
  LoadOptions options;
  options.rows = from_environment("XASINK_KILL_ROWS", 150'000);
  options.checkpoint = "{interval: 50ms}";
  options.more = "branch: {rows: 20000}\n";
  // Paced, so that the load lasts as long as the kills do.
  options.source_more = ", rows_per_second: " + std::to_string(options.rows / (kills / 4 + 1));
  const LoadTrial trial(kind, server, options);

  std::mt19937 random(20'261'201);
  std::uniform_int_distribution<int> wait(5, 450);
  unsigned long killed = 0;
  for (unsigned long i = 0; i < kills; ++i) {
    const auto process = trial.start("run");
    const auto code = process->wait(std::chrono::milliseconds(wait(random)));
    if (code) {
      INFO(process->err());
      REQUIRE(*code == 0);  // it was faster than its killer
      continue;
    }
    process->signal(9);
    REQUIRE(process->wait(std::chrono::seconds(20)) == 128 + 9);
    ++killed;
  }
  CHECK(killed >= kills / 2);
  const RunEnd last = trial.xasink("run");
  INFO(last.err);
  REQUIRE(last.code == 0);
  trial.require_complete();
}

}  // namespace

TEST_CASE("PostgreSQL: a job killed at random moments loads every row once") {
  PrivatePostgres server;
  kill_at_random(Kind::postgresql_prepared, &server);
}

TEST_CASE("PostgreSQL, staged: a job killed at random moments loads every row once") {
  PrivatePostgres server;
  kill_at_random(Kind::postgresql_staged, &server);
}

TEST_CASE("SQLite: a job killed at random moments loads every row once") { kill_at_random(Kind::sqlite, nullptr); }
