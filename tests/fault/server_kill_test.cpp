// The server goes away during the load; the job stays.
#include <thread>

#include "tests/fault/load_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;
using std::chrono::milliseconds;

namespace {

void kill_server_five_times(Kind kind, bool crash) {
  PrivatePostgres::Options server_options;
  server_options.fsync = true;  // what the server said is durable must be
  PrivatePostgres server(server_options);
  LoadOptions options;
  options.rows = 60'000;
  options.checkpoint = "{interval: 100ms}";
  options.source_more = ", rows_per_second: 10000";
  options.more = "";
  const LoadTrial trial(kind, &server, options);
  const auto job = trial.start("run");
  for (int i = 0; i < 5; ++i) {
    REQUIRE_FALSE(job->wait(milliseconds(700)));
    if (crash) {
      server.kill_9();
    } else {
      server.kill_immediate();
    }
    std::this_thread::sleep_for(milliseconds(200));
    server.start();
  }
  const auto code = job->wait(std::chrono::minutes(2));
  INFO(job->err());
  REQUIRE(code == 0);
  // A staged job only meets the server in its second phase, which waits by itself.
  if (kind == Kind::postgresql_prepared) CHECK_THAT(job->err(), contains("going back"));
  trial.require_complete();
}

}  // namespace

TEST_CASE("a server stopped at once five times and started again does not end the job, and every row is there once") {
  kill_server_five_times(Kind::postgresql_prepared, false);
}

TEST_CASE("a server that crashes five times does not end the job, and every row is there once") {
  kill_server_five_times(Kind::postgresql_prepared, true);
}

TEST_CASE("a server stopped at once five times does not end a staged job either") {
  kill_server_five_times(Kind::postgresql_staged, false);
}
