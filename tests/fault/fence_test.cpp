// A job that was stopped, taken over by another process, and wakes up.
#include <csignal>

#include <filesystem>
#include <thread>

#include "tests/fault/load_trial.hpp"
#include "tests/support/catch.hpp"
#include "xasink/xid.hpp"

using namespace xasink;
using namespace xasink::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr int kRefused = 3;

PrivatePostgres& server() {
  static PrivatePostgres server;
  return server;
}

LoadOptions paced() {
  LoadOptions options;
  options.rows = 4'000;
  options.checkpoint = "{interval: 100ms}";
  options.source_more = ", rows_per_second: 4000";
  options.more = "recovery: {sweep: 100ms}\n";
  return options;
}

template <typename Condition>
void wait_for(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + seconds(30);
  while (!condition()) {
    REQUIRE(std::chrono::steady_clock::now() < end);
    std::this_thread::sleep_for(milliseconds(5));
  }
}

bool has_taken_over(const Process& job) { return job.err().find("recovered: epoch 2") != std::string::npos; }

void require_fenced(Process& job) {
  const auto code = job.wait(seconds(30));
  INFO(job.err());
  REQUIRE(code == kRefused);
  CHECK_THAT(job.err(), contains("another process has taken this job over"));
}

}  // namespace

TEST_CASE("a stopped job that wakes up after it was taken over ends fenced, wherever it was, and every row is there once") {
  for (const char* point :
       {"prepared.write.after", "prepared.prepare.before", "prepared.prepare.after", "log.decide.before",
        "log.decide.after", "prepared.commit.before", "prepared.commit.after", "log.outcomes.before", "sweep.list.before"}) {
    INFO("stopped at " << point);
    const LoadTrial trial(Kind::postgresql_prepared, &server(), paced());
    const auto old = trial.start("run", std::string(point) + ":stop:5");
    REQUIRE(old->wait_stopped(seconds(30)));
    std::filesystem::remove(trial.folder() / "log.db.lock");
    const auto taker = trial.start("run");
    wait_for([&] { return has_taken_over(*taker) || !taker->running(); });
    // It may have to wait for rows that the old one has in open branches.
    std::this_thread::sleep_for(milliseconds(100));
    old->signal(SIGCONT);
    require_fenced(*old);
    const auto code = taker->wait(seconds(60));
    INFO(taker->err());
    REQUIRE(code == 0);
    trial.require_complete();
  }
}

TEST_CASE("a fenced job rolls back what it prepared, though the one that took over has ended") {
  const LoadTrial trial(Kind::postgresql_prepared, &server(), paced());
  const auto old = trial.start("run", "log.decide.before:stop:3");
  REQUIRE(old->wait_stopped(seconds(30)));
  std::filesystem::remove(trial.folder() / "log.db.lock");
  const RunEnd taker = trial.xasink("run");
  INFO(taker.err);
  // The other's open branches may hold it up; its prepared ones can't.
  REQUIRE((taker.code == 0 || taker.code == 1));
  old->signal(SIGCONT);
  require_fenced(*old);
  CHECK(trial.left_behind() == std::vector<std::string>{});
  const RunEnd rest = trial.xasink("run");
  INFO(rest.err);
  REQUIRE(rest.code == 0);
  trial.require_complete();
}

TEST_CASE("a job that loses its sessions while it is stopped does not take back what another has taken over") {
  const LoadTrial trial(Kind::postgresql_prepared, &server(), paced());
  const auto old = trial.start("run", "prepared.write.after:stop:6");
  REQUIRE(old->wait_stopped(seconds(30)));
  std::filesystem::remove(trial.folder() / "log.db.lock");
  server().query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'xasink'");
  const auto taker = trial.start("run");
  wait_for([&] { return has_taken_over(*taker) || !taker->running(); });
  old->signal(SIGCONT);
  require_fenced(*old);
  const auto code = taker->wait(seconds(60));
  INFO(taker->err());
  REQUIRE(code == 0);
  CHECK_THAT(taker->err(), !contains("fenced"));
  trial.require_complete();
}

TEST_CASE("two jobs of one name with logs of their own leave each other's branches alone") {
  const LoadTrial one(Kind::postgresql_prepared, &server());
  const LoadTrial two(Kind::postgresql_prepared, &server());
  one.change("job: " + one.job() + "\n", "job: namesake\n");
  two.change("job: " + two.job() + "\n", "job: namesake\n");
  const auto count = [] {
    return server().value("SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE 'xasink1.namesake.%'");
  };
  REQUIRE(one.xasink("run", "coordinator.decide.before:kill:2").code == 128 + SIGKILL);
  const std::string of_one = count();
  REQUIRE(std::stoi(of_one) >= 2);
  REQUIRE(two.xasink("run", "coordinator.commit.before:kill:2").code == 128 + SIGKILL);
  const RunEnd second = two.xasink("run");
  INFO(second.err);
  REQUIRE(second.code == 0);
  CHECK(count() == of_one);
  two.require_complete();
  const RunEnd first = one.xasink("run");
  INFO(first.err);
  REQUIRE(first.code == 0);
  CHECK(count() == "0");
  one.require_complete();
}

TEST_CASE("an orphan that appears late is swept while the job runs; live branches and those of others are not") {
  LoadOptions options = paced();
  options.source_more = ", rows_per_second: 1000";
  const LoadTrial trial(Kind::postgresql_prepared, &server(), options);
  REQUIRE(trial.xasink("run", "coordinator.barrier.before:kill").code == 128 + SIGKILL);  // epoch 1 is over
  const auto job = trial.start("run");
  const auto owners = "SELECT owner FROM xasink_markers WHERE job = '" + trial.job() + "'";
  wait_for([&] { return server().value("SELECT to_regclass('xasink_markers') IS NOT NULL") == "t"; });
  wait_for([&] { return !server().query(owners).empty(); });
  const std::string owner = server().value(owners);

  server().query("CREATE TABLE by_hand (id int)");
  const auto prepare = [](const Xid& xid) {
    server().query("BEGIN; INSERT INTO by_hand VALUES (1); PREPARE TRANSACTION '" + xid.gid() + "'");
    return xid.gid();
  };
  const auto prepared = [](const std::string& gid) {
    return server().value("SELECT count(*) FROM pg_prepared_xacts WHERE gid = '" + gid + "'") == "1";
  };
  const std::string late = prepare({trial.job(), owner, 1, 0, 1, 0});
  const std::string live = prepare({trial.job(), owner, 2, 9, 9'999, 0});
  const std::string newer = prepare({trial.job(), owner, 3, 0, 9'999, 0});
  const std::string others = prepare({trial.job(), make_owner(), 1, 0, 1, 0});
  const std::string namesakes = prepare({"other", owner, 1, 0, 1, 0});
  wait_for([&] { return !prepared(late); });
  REQUIRE(job->running());  // the sweep, not the end

  const auto code = job->wait(seconds(60));
  INFO(job->err());
  REQUIRE(code == 0);
  CHECK_THAT(job->err(), contains("sweep: branch " + late));
  for (const std::string& left : {live, newer, others, namesakes}) {
    CHECK(prepared(left));
    server().query("ROLLBACK PREPARED '" + left + "'");
  }
  CHECK(server().value("SELECT count(*) FROM by_hand") == "0");
  server().query("DROP TABLE by_hand");
  trial.require_complete();
}
