// A server that can't do what is asked, is full, or goes away.
#include <signal.h>

#include <thread>

#include "tests/fault/refusal_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

JobText at(const PrivatePostgres& server, const std::string& more = {}) {
  JobText text;
  text.url = server.url();
  text.target += "    writers: 2\n" + more;
  return text;
}

std::string ids_at(const PrivatePostgres& server) {
  if (server.value("SELECT to_regclass('t') IS NULL") == "t") return {};
  return server.value("SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') FROM t");
}

std::string prepared_at(const PrivatePostgres& server) {
  return server.value("SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE 'xasink1.%'");
}

void require_good_run(const RefusalTrial& trial, const PrivatePostgres& server, int last = 20) {
  const RunEnd end = trial.xasink("run");
  INFO(end.err);
  REQUIRE(end.code == 0);
  CHECK(ids_at(server) == numbers_to(last));
  CHECK(prepared_at(server) == "0");
  CHECK(trial.spool().empty());
}

milliseconds::rep took(const std::function<void()>& act) {
  const auto begun = steady_clock::now();
  act();
  return std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun).count();
}

}  // namespace

TEST_CASE("a server without prepared transactions is refused with both remedies, and the staged one works") {
  PrivatePostgres::Options options;
  options.settings = {"max_prepared_transactions=0"};
  PrivatePostgres server(options);
  const RefusalTrial trial(at(server));
  for (int i = 0; i < 2; ++i) {
    require_refusal(trial.xasink("run"), 3, {"max_prepared_transactions is 0", "restart the server", "`protocol: staged`"});
  }
  require_json_refusal(trial.xasink("run", {"--json"}), 3, "preflight", {"max_prepared_transactions", "protocol: staged"});
  CHECK(ids_at(server).empty());
  trial.write_job(at(server, "    protocol: staged\n"));
  require_good_run(trial, server);
  const RunEnd list = trial.xasink("list");
  CHECK(list.code == 0);
  CHECK(list.err.empty());  // nothing to warn of: the job stages
}

TEST_CASE("prepared slots that are used up are waited for, then reported, and the job goes on when they come free") {
  PrivatePostgres::Options options;
  options.settings = {"max_prepared_transactions=3"};
  PrivatePostgres server(options);
  const auto occupy = [&] {
    for (const char* name : {"a", "b", "c"}) {
      server.query("BEGIN; SELECT 1; PREPARE TRANSACTION '" + std::string(name) + "'");
    }
  };
  const auto release = [&] {
    for (const char* name : {"a", "b", "c"}) server.query("ROLLBACK PREPARED '" + std::string(name) + "'");
  };
  occupy();
  const RefusalTrial trial(at(server));
  RunEnd end;
  const auto waited = took([&] { end = trial.xasink("run"); });
  require_refusal(end, 1, {"maximum number of prepared transactions reached", "raise max_prepared_transactions",
                           "`xasink list`"});
  CHECK(waited >= 900);
  CHECK(waited < 10'000);
  CHECK(prepared_at(server) == "0");
  require_json_refusal(trial.xasink("run", {"--json"}), 1, "resources", {"maximum number of prepared transactions"});
  CHECK_THAT(trial.xasink("list").out, contains("3 prepared transactions") && contains("not ours"));

  JobText patient = at(server);
  patient.more = "retry: {initial: 20ms, max: 100ms, limit: 60s}\n";
  trial.write_job(patient);
  const auto job = trial.start("run");
  while (job->err().find("going back") == std::string::npos && job->running()) std::this_thread::sleep_for(milliseconds(5));
  release();
  REQUIRE(job->wait(std::chrono::seconds(60)) == 0);
  CHECK(ids_at(server) == numbers_to(20));
  CHECK(prepared_at(server) == "0");
}

TEST_CASE("a server that is down at the start is tried again for as long as the job file says") {
  PrivatePostgres server;
  server.stop();
  const RefusalTrial trial(at(server));
  RunEnd end;
  const auto waited = took([&] { end = trial.xasink("run"); });
  require_refusal(end, 1, {"can't connect", "Connection refused", "start the server"});
  CHECK_THAT(end.err, contains("going back to the last checkpoint"));
  CHECK(waited >= 900);
  CHECK(waited < 10'000);
  require_json_refusal(trial.xasink("run", {"--json"}), 1, "connection", {"can't connect"});

  JobText patient = at(server);
  patient.more = "retry: {initial: 20ms, max: 100ms, limit: 60s}\n";
  trial.write_job(patient);
  const auto job = trial.start("run");
  while (job->err().find("going back") == std::string::npos && job->running()) std::this_thread::sleep_for(milliseconds(5));
  server.start();
  REQUIRE(job->wait(std::chrono::seconds(60)) == 0);
  CHECK(ids_at(server) == numbers_to(20));
}

TEST_CASE("a server that goes away for longer than the limit ends the job, and the next run completes it") {
  // Before a branch is prepared, and between the decision of its checkpoint and its commit.
  for (const std::string point : {"writer.prepare.before", "coordinator.commit.before"}) {
    for (const char* protocol : {"prepared", "staged"}) {
      INFO(point << ", " << protocol);
      PrivatePostgres server;
      const RefusalTrial trial(at(server, "    protocol: " + std::string(protocol) + "\n"));
      const auto job = trial.start("run", point + ":stop:3");
      REQUIRE(job->wait_stopped(std::chrono::seconds(30)));
      server.kill_immediate();
      job->signal(SIGCONT);
      const auto code = job->wait(std::chrono::seconds(30));
      REQUIRE(code);
      require_refusal({*code, job->out(), job->err()}, 1, {"can't connect", "start the server"});
      require_refusal(trial.xasink("run"), 1, {"can't connect"});
      const RunEnd status = trial.xasink("status");
      CHECK(status.code == 0);
      if (point == "coordinator.commit.before") CHECK_THAT(status.out, contains("1 branch not committed yet"));
      server.start();
      require_good_run(trial, server);
    }
  }
}

TEST_CASE("a branch that was rolled back by hand after its decision is lost, and each run says so") {
  PrivatePostgres server;
  const RefusalTrial trial(at(server));
  trial.kill_at("coordinator.commit.before", 3);
  REQUIRE(ids_at(server) == numbers_to(10));
  const std::string gid = trial.from_log("SELECT gid FROM branch WHERE outcome = 0");
  server.query("ROLLBACK PREPARED '" + gid + "'");
  for (int i = 0; i < 2; ++i) {
    require_refusal(trial.xasink("run"), 5, {gid, "lost", "neither prepared nor marked", "Keep the log"});
    CHECK(ids_at(server) == numbers_to(10));
    CHECK(prepared_at(server) == "0");  // no orphan holds its locks meanwhile
  }
  require_json_refusal(trial.xasink("run", {"--json"}), 5, "lost", {gid});
  const RunEnd recover = trial.xasink("recover");
  CHECK(recover.code == 5);
  CHECK_THAT(recover.out, contains(gid) && contains("1 lost"));
  const RunEnd status = trial.xasink("status");
  CHECK(status.code == 5);
  CHECK_THAT(status.out, contains("1 of them lost"));
  CHECK(ids_at(server) == numbers_to(10));
}
