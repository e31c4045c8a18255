// When checkpoints are taken, what is in them, and how a failure ends an incarnation.
#include <condition_variable>
#include <thread>

#include "tests/unit/txn/coordinator_stage.hpp"

using namespace xasink;
using namespace xasink::test;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

using Fixture = CoordinatorStage;

// Lets no decision through while it is shut.
class GatedLog final : public TransactionLog {
 public:
  explicit GatedLog(TransactionLog& log) : log_(log) {}
  void open_gate() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
  }
  LogIdentity identity() override { return log_.identity(); }
  LogIdentity raise_epoch(std::uint64_t reserve) override { return log_.raise_epoch(reserve); }
  void decide(std::uint64_t epoch, const Decision& decision, std::uint64_t reserve_through) override {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return open_; });
    }
    log_.decide(epoch, decision, reserve_through);
  }
  void record_outcomes(std::uint64_t checkpoint, std::span<const LoggedBranch> branches) override {
    log_.record_outcomes(checkpoint, branches);
  }
  std::vector<LoggedCheckpoint> unfinished() override { return log_.unfinished(); }
  std::optional<LoggedCheckpoint> last_decision() override { return log_.last_decision(); }
  bool decided(const Xid& xid) override { return log_.decided(xid); }
  std::vector<LoggedCheckpoint> recent(std::size_t limit) override { return log_.recent(limit); }
  void prune(std::uint64_t through) override { log_.prune(through); }
  void audit(const AuditRecord& record) override { log_.audit(record); }
  std::vector<AuditRecord> audit_records(std::size_t limit) override { return log_.audit_records(limit); }

 private:
  TransactionLog& log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a job of one checkpoint: all rows, from all writers, and the position behind them") {
  const auto coordinator = begin();
  for (int i = 0; i < 7; ++i) write(*coordinator, 3);
  coordinator->finish(position());
  CHECK(sorted_ids() == counted(0, 21));
  const auto last = log->recent(1).at(0);
  CHECK(last.position == "row 21");
  CHECK(last.final);
  CHECK(last.rows == 21);
  CHECK(last.branches.size() == 2);
  CHECK(last.committed_at);
  CHECK(coordinator->stats().rows_committed == 21);
  CHECK(server().prepared_gids().empty());
}

TEST_CASE_METHOD(Fixture, "an empty checkpoint takes no branch, and one without news is not taken at all") {
  options.interval = milliseconds(1);
  const auto coordinator = begin();
  SECTION("no rows, a new position") {
    std::this_thread::sleep_for(milliseconds(3));
    next = 5;  // read, and left out
    CHECK(tick(*coordinator));
    coordinator->finish(position());
    REQUIRE(log->recent(9).size() == 1);
    CHECK(log->recent(1).at(0).branches.empty());
    CHECK(log->recent(1).at(0).committed_at);
  }
  SECTION("no rows, the position of before") {
    write(*coordinator, 1);
    std::this_thread::sleep_for(milliseconds(3));
    CHECK(tick(*coordinator));
    for (int i = 0; i < 5; ++i) {
      std::this_thread::sleep_for(milliseconds(2));
      tick(*coordinator);
    }
    coordinator->finish(position());
    CHECK(log->recent(9).size() == 1);
    // A writer without rows has no branch.
    CHECK(log->recent(1).at(0).branches.size() == 1);
  }
}

TEST_CASE_METHOD(Fixture, "no more checkpoints are in flight than allowed: timed ones wait, and rows go on") {
  options.interval = milliseconds(1);
  options.max_in_flight = 2;
  GatedLog gated(*log);
  {
    const auto coordinator = begin(gated);
    unsigned most = 0;
    for (int i = 0; i < 12; ++i) {
      write(*coordinator, 1);
      std::this_thread::sleep_for(milliseconds(3));
      tick(*coordinator);
      most = std::max(most, coordinator->stats().in_flight);
    }
    CHECK(most == 2);
    CHECK(ids().empty());
    gated.open_gate();
    coordinator->finish(position());
  }
  CHECK(sorted_ids() == counted(0, 12));
  CHECK(log->recent(99).size() == 3);
}

TEST_CASE_METHOD(Fixture, "a checkpoint that is due by rows waits for a slot") {
  options.rows = 2;
  options.max_in_flight = 1;
  GatedLog gated(*log);
  const auto coordinator = begin(gated);
  write(*coordinator, 2);
  CHECK(tick(*coordinator));
  write(*coordinator, 2);
  std::thread opener([&] {
    std::this_thread::sleep_for(milliseconds(60));
    CHECK(coordinator->stats().in_flight == 1);
    gated.open_gate();
  });
  const auto begun = steady_clock::now();
  tick(*coordinator);
  CHECK(steady_clock::now() - begun >= milliseconds(50));
  opener.join();
  coordinator->finish(position());
  CHECK(log->recent(9).size() == 2);
}

TEST_CASE_METHOD(Fixture, "checkpoints come by rows or by bytes, and not before") {
  writers = 1;
  SECTION("rows") { options.rows = 10; }
  SECTION("bytes") { options.bytes = batch(0, 10).bytes(); }
  const auto coordinator = begin();
  for (int i = 0; i < 5; ++i) {
    write(*coordinator, 4);  // due with the third and the sixth
    tick(*coordinator);
  }
  coordinator->finish(position());
  const auto checkpoints = log->recent(9);
  REQUIRE(checkpoints.size() == 2);
  CHECK(checkpoints[1].rows == 12);
  CHECK(checkpoints[1].position == "row 12");
  CHECK(checkpoints[0].rows == 8);
  CHECK(coordinator->rows_wanted() >= 1);
}

TEST_CASE_METHOD(Fixture, "how many rows may come is what is left before a barrier, or a branch's bound") {
  options.rows = 10;
  options.bounds.max_rows = 8;
  const auto coordinator = begin();
  CHECK(coordinator->rows_wanted() == 8);
  write(*coordinator, 6);
  CHECK(coordinator->rows_wanted() == 4);
  write(*coordinator, 4);
  CHECK(coordinator->rows_wanted() == 8);
  coordinator->finish(position());
}

TEST_CASE_METHOD(Fixture, "a branch is split by rows or bytes, and all its parts are in the decision") {
  writers = 1;
  SECTION("rows") { options.bounds.max_rows = 10; }
  SECTION("bytes") { options.bounds.max_bytes = batch(0, 10).bytes(); }
  const auto coordinator = begin();
  for (int i = 0; i < 10; ++i) write(*coordinator, 5);
  coordinator->finish(position());
  const auto last = log->recent(1).at(0);
  REQUIRE(last.branches.size() == 5);
  for (const LoggedBranch& branch : last.branches) CHECK(branch.committable.rows == 10);
  CHECK(sorted_ids() == counted(0, 50));
}

TEST_CASE_METHOD(Fixture,
                 "a writer's failure reaches the reader wherever it waits; nothing of it is decided or stays") {
  Error refused = refusal();
  SECTION("while it waits for a batch") {
    server().fail(FakeVerb::write, 1, refused);
    const auto coordinator = begin();
    const Error error = error_of([&] {
      for (;;) write(*coordinator, 1);
    });
    CHECK(error.category() == Category::preflight);
  }
  SECTION("while it waits for a slot") {
    options.rows = 1;
    options.max_in_flight = 1;
    server().fail(FakeVerb::prepare, 1, refused);
    const auto coordinator = begin();
    write(*coordinator, 1);
    CHECK_THROWS_AS(
        [&] {
          tick(*coordinator);
          write(*coordinator, 1);
          tick(*coordinator);
          coordinator->finish(position());
        }(),
        Error);
  }
  SECTION("while it waits for the end; another part was prepared") {
    options.bounds.max_rows = 1;
    server().fail(FakeVerb::prepare, 3, refused);
    const auto coordinator = begin();
    for (int i = 0; i < 6; ++i) {
      try {
        write(*coordinator, 1);
      } catch (const Error&) {
        break;
      }
    }
    CHECK_THROWS_AS(coordinator->finish(position()), Error);
  }
  CHECK_FALSE(log->last_decision());
  const auto settled = txn::recover_job(*log, targets, 3);
  CHECK(settled.report.clean());
  CHECK(server().prepared_gids().empty());
  CHECK(ids().empty());
}

TEST_CASE_METHOD(Fixture, "a commit that fails is not reported as committed, and recovery does it") {
  Error error(Category::internal, "");
  SECTION("for good") {
    server().fail(FakeVerb::commit_prepared, 1, refusal());
    const auto coordinator = begin();
    write(*coordinator, 1);
    error = error_of([&] { coordinator->finish(position()); });
    CHECK(error.category() == Category::in_doubt);
    CHECK_FALSE(error.retryable());
    CHECK(coordinator->stats().rows_committed == 0);
  }
  SECTION("for now") {
    for (unsigned nth = 1; nth < 300; ++nth) server().fail(FakeVerb::commit_prepared, nth, lost_connection());
    const auto coordinator = begin();
    write(*coordinator, 1);
    error = error_of([&] { coordinator->finish(position()); });
    CHECK(error.category() == Category::in_doubt);
    CHECK(error.retryable());
    for (int i = 0; i < 300 && ids().empty(); ++i) static_cast<void>(txn::recover_job(*log, targets, 3));
  }
  CHECK(observer.committed.empty());
  static_cast<void>(txn::recover_job(*log, targets, 3));
  CHECK(ids() == counted(0, 1));
  CHECK(log->unfinished().empty());
}
