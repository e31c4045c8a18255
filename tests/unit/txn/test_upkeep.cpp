// Retention, sweeps and fences while a job runs.
#include <thread>

#include "tests/unit/txn/coordinator_stage.hpp"

using namespace xasink;
using namespace xasink::test;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

using Fixture = CoordinatorStage;

}  // namespace

TEST_CASE_METHOD(Fixture, "log and markers keep as many checkpoints as retention says, in one long run") {
  options.rows = 1;
  options.retention = 5;
  options.sweep = milliseconds(1);
  const auto coordinator = begin();
  for (int i = 0; i < 200; ++i) {
    write(*coordinator, 1);
    tick(*coordinator);
  }
  coordinator->finish(position());
  const auto kept = log->recent(999);
  CHECK(kept.size() == 5);
  for (const LoggedCheckpoint& checkpoint : kept) {
    for (const LoggedBranch& branch : checkpoint.branches) CHECK(server().has_marker(branch.committable.xid));
  }
  const Xid first{
      recovery.identity.job, recovery.identity.owner, recovery.identity.epoch, 0, recovery.first_checkpoint, 0};
  CHECK_FALSE(server().has_marker(first));
  CHECK(sorted_ids() == counted(0, 200));
  CHECK(observer.failures.empty());
}

TEST_CASE_METHOD(Fixture, "and over many short runs, whatever ids they get") {
  options.retention = 9;
  for (int run = 0; run < 40; ++run) {
    const auto coordinator = begin();
    write(*coordinator, 1);
    coordinator->finish(position());
  }
  CHECK(log->recent(999).size() <= 10);
  CHECK(sorted_ids() == counted(0, 40));
}

TEST_CASE_METHOD(Fixture, "a late orphan is swept while the job runs and is busy, or when it ends") {
  static_cast<void>(txn::recover_job(*log, targets, 3));
  const LogIdentity old = log->identity();
  const Xid late{old.job, old.owner, old.epoch, 0, 1, 0};
  SECTION("runs") {
    options.rows = 1;
    options.sweep = milliseconds(1);
    const auto coordinator = begin();
    static_cast<void>(prepare(late));
    const auto end = steady_clock::now() + std::chrono::seconds(10);
    while (!server().prepared_gids().empty() && steady_clock::now() < end) {
      write(*coordinator, 1);
      tick(*coordinator);
    }
    CHECK(steady_clock::now() < end);
    coordinator->finish(position());
  }
  SECTION("ends") {
    const auto coordinator = begin();
    static_cast<void>(prepare(late));
    coordinator->finish(position());
  }
  CHECK(observer.swept == std::vector<std::string>{late.gid()});
  CHECK(server().prepared_gids().empty());
}

TEST_CASE_METHOD(Fixture, "a sweep that fails is told and tried again; it does not end the job") {
  options.sweep = milliseconds(1);
  const auto coordinator = begin();
  server().fail(FakeVerb::list_prepared, 1, lost_connection());
  std::this_thread::sleep_for(milliseconds(50));
  write(*coordinator, 1);
  coordinator->finish(position());
  CHECK(observer.failures.size() == 1);
  CHECK(ids() == counted(0, 1));
}

TEST_CASE_METHOD(Fixture, "an incarnation that the log or the target has left behind ends fenced") {
  options.sweep = milliseconds(5);
  SECTION("by the log") {
    const auto coordinator = begin();
    write(*coordinator, 1);
    static_cast<void>(open_log_in_spite_of_the_lock()->raise_epoch(3));
    CHECK_THROWS_AS(coordinator->finish(position()), FencedError);
    CHECK(ids().empty());
  }
  SECTION("by the target alone: the other one has a copy of the log") {
    const auto coordinator = begin();
    static_cast<void>(driver->connect("fake:shop")
                          ->raise_epoch(recovery.identity.job, recovery.identity.owner, recovery.identity.epoch + 1));
    const Error error = error_of([&] {
      for (int i = 0; i < 1'000; ++i) {
        std::this_thread::sleep_for(milliseconds(5));
        tick(*coordinator);
      }
    });
    CHECK(error.category() == Category::fenced);
  }
}
