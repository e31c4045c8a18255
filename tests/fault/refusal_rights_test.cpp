// Roles that lack a right, accounts that the server does not take.
#include <signal.h>

#include "tests/fault/refusal_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

namespace {

std::string count_at(const PrivatePostgres& server) {
  return server.value("SELECT count(*) || ' ' || count(DISTINCT id) FROM t");
}

std::string prepared_at(const PrivatePostgres& server) { return server.value("SELECT count(*) FROM pg_prepared_xacts"); }

JobText as_loader(const PrivatePostgres& server) {
  JobText text;
  text.url = server.url("loader");
  text.target += "    writers: 2\n";
  return text;
}

}  // namespace

TEST_CASE("a role that lacks CREATE or INSERT is told which GRANT it needs, and loads once it has it") {
  PrivatePostgres server;
  server.query("CREATE ROLE loader LOGIN");
  const RefusalTrial trial(as_loader(server));
  require_refusal(trial.xasink("run"), 3, {"creating the table t", "permission denied for schema public", "GRANT"});
  require_json_refusal(trial.xasink("run", {"--json"}), 3, "preflight", {"permission denied for schema public"});

  // The table is there: then `create: true` asks for no right.
  server.query("CREATE TABLE t (id bigint NOT NULL, name text)");
  require_refusal(trial.xasink("run"), 3, {"making the bookkeeping tables", "permission denied", "GRANT CREATE ON SCHEMA"});

  server.query("GRANT CREATE ON SCHEMA public TO loader");
  for (int i = 0; i < 2; ++i) {
    require_refusal(trial.xasink("run"), 3, {"permission denied for table t", "GRANT"});
    CHECK(count_at(server) == "0 0");
    CHECK(prepared_at(server) == "0");
  }
  // INSERT is all it takes: no SELECT.
  server.query("GRANT INSERT ON t TO loader");
  REQUIRE(trial.xasink("run").code == 0);
  CHECK(count_at(server) == "20 20");
  CHECK(prepared_at(server) == "0");
}

TEST_CASE("a role that may not use the bookkeeping tables of another is told what it needs") {
  PrivatePostgres server;
  server.query("CREATE ROLE loader LOGIN; CREATE TABLE t (id bigint NOT NULL, name text); GRANT INSERT ON t TO loader");
  JobText other = as_loader(server);
  other.url = server.url();
  REQUIRE(RefusalTrial(other).xasink("run").code == 0);
  const RefusalTrial trial(as_loader(server));
  require_refusal(trial.xasink("run"), 3, {"permission denied for table xasink_", "GRANT SELECT, INSERT, UPDATE, DELETE"});
  server.query("GRANT SELECT, INSERT, UPDATE, DELETE ON xasink_markers, xasink_epochs TO loader");
  REQUIRE(trial.xasink("run").code == 0);
  CHECK(count_at(server) == "40 20");  // of two jobs
}

TEST_CASE("a right that is taken away during the load ends the job, and leaves nothing prepared") {
  PrivatePostgres server;
  server.query("CREATE ROLE loader LOGIN; CREATE TABLE t (id bigint NOT NULL, name text); GRANT INSERT ON t TO loader; "
               "GRANT CREATE ON SCHEMA public TO loader");
  JobText text = as_loader(server);
  text.source = "{type: generator, rows: 200}";
  const RefusalTrial trial(text);
  // Stopped with a branch that is prepared and in no decision.
  const auto job = trial.start("run", "coordinator.decide.before:stop:3");
  REQUIRE(job->wait_stopped(std::chrono::seconds(30)));
  server.query("REVOKE INSERT ON t FROM loader");
  job->signal(SIGCONT);
  const auto code = job->wait(std::chrono::seconds(30));
  REQUIRE(code);
  require_refusal({*code, job->out(), job->err()}, 3, {"permission denied for table t", "GRANT"});
  CHECK(prepared_at(server) == "0");
  server.query("GRANT INSERT ON t TO loader");
  REQUIRE(trial.xasink("run").code == 0);
  CHECK(count_at(server) == "200 200");
  CHECK(prepared_at(server) == "0");
}
