// Taking a job over: what is committed, rolled back and left, and who may.
#include "txn/recovery.hpp"

#include "tests/unit/txn/stage.hpp"

using namespace xasink;
using namespace xasink::test;
using Action = RecoveredBranch::Action;
using When = FakeServer::When;

namespace {

struct Fixture : Stage {
  Xid xid(const LogIdentity& identity, std::uint64_t checkpoint, std::uint32_t part = 0) const {
    return {identity.job, identity.owner, identity.epoch, 0, checkpoint, part};
  }
  txn::JobRecovery recover() { return txn::recover_job(*log, targets, 3); }
  void decide(const LogIdentity& identity, const std::vector<Committable>& branches) {
    const std::uint64_t checkpoint = branches.at(0).xid.checkpoint;
    log->decide(identity.epoch, {checkpoint, "p" + std::to_string(checkpoint), branches, false}, checkpoint + 3);
  }
  static Action action(const txn::JobRecovery& recovery, const Xid& of) {
    for (const RecoveredBranch& branch : recovery.report.branches) {
      if (branch.xid == of.gid()) return branch.action;
    }
    FAIL("nothing was done with " << of.gid());
    return Action::failed;
  }

  std::unique_ptr<TransactionLog> log = open_log();
  txn::Targets targets = open_targets();
};

}  // namespace

TEST_CASE_METHOD(Fixture, "recovery commits what is decided, rolls back what is not, and tells the log of both") {
  const LogIdentity old = recover().identity;
  const Committable decided = prepare(xid(old, 1), 1);
  const Committable orphan = prepare(xid(old, 2), 2);
  decide(old, {decided});
  const auto recovery = recover();
  CHECK(recovery.report.clean());
  CHECK(action(recovery, decided.xid) == Action::committed);
  CHECK(action(recovery, orphan.xid) == Action::rolled_back);
  CHECK(recovery.rows == 1);
  CHECK(recovery.restart->position == "p1");
  CHECK(ids() == counted(1, 2));
  CHECK(server().prepared_gids().empty());
  CHECK(log->unfinished().empty());
  CHECK(log->recent(1).at(0).branches.at(0).evidence == "COMMITTED");
  REQUIRE(log->audit_records(9).size() == 1);
  CHECK(log->audit_records(9)[0].xid == orphan.xid.gid());
}

TEST_CASE_METHOD(Fixture,
                 "recovery touches no branch of another owner, job, or newer epoch, and no foreign transaction") {
  const LogIdentity old = recover().identity;
  std::vector<std::string> others;
  Xid name = xid(old, 2);
  name.owner = make_owner();
  others.push_back(prepare(name).xid.gid());
  name = xid(old, 2);
  name.job = "invoices";
  others.push_back(prepare(name).xid.gid());
  name = xid(old, 2);
  name.epoch = 9;
  others.push_back(prepare(name).xid.gid());
  server().add_foreign({"theirs", std::nullopt, "them", "shop", std::nullopt, true});
  const auto recovery = recover();
  CHECK(recovery.report.branches.empty());
  auto left = server().prepared_gids();
  std::sort(left.begin(), left.end());
  std::sort(others.begin(), others.end());
  CHECK(left == others);
}

TEST_CASE_METHOD(Fixture, "an orphan that this role can't finish is left and told; it does not make recovery fail") {
  const LogIdentity old = recover().identity;
  server().add_foreign({xid(old, 2).gid(), xid(old, 2), "admin", "archive", std::nullopt, false});
  const auto recovery = recover();
  CHECK(recovery.report.clean());
  CHECK(action(recovery, xid(old, 2)) == Action::left);
  CHECK_THAT(recovery.report.branches.at(0).reason, contains("role admin in database archive"));
}

TEST_CASE_METHOD(Fixture,
                 "a decided branch in doubt holds up later checkpoints, not orphans, and is committed next time") {
  const LogIdentity old = recover().identity;
  const Committable first = prepare(xid(old, 1), 1);
  const Committable second = prepare(xid(old, 2), 2);
  const Committable orphan = prepare(xid(old, 3), 3);
  decide(old, {first});
  decide(old, {second});
  server().hold(first.xid);
  const auto stuck = recover();
  CHECK_FALSE(stuck.report.clean());
  CHECK(action(stuck, first.xid) == Action::in_doubt);
  CHECK(stuck.rows == 0);
  CHECK(ids().empty());
  CHECK(action(stuck, orphan.xid) == Action::rolled_back);
  server().release(first.xid);
  const auto freed = recover();
  CHECK(freed.report.clean());
  CHECK(freed.rows == 2);
  CHECK(ids() == counted(1, 3));
}

TEST_CASE_METHOD(Fixture, "a lost branch is told as lost each time, and keeps its evidence in the log") {
  const LogIdentity old = recover().identity;
  const Committable one = prepare(xid(old, 1), 1);
  decide(old, {one});
  REQUIRE(server().lose(one.xid));
  for (int i = 0; i < 2; ++i) {
    const auto recovery = recover();
    CHECK(action(recovery, one.xid) == Action::lost);
    REQUIRE(log->unfinished().size() == 1);
    CHECK(log->unfinished()[0].branches[0].outcome == BranchOutcome::lost);
  }
}

TEST_CASE_METHOD(Fixture, "recovery that fails anywhere is repeated, and no branch is committed twice or dropped") {
  for (const FakeVerb verb :
       {FakeVerb::connect, FakeVerb::raise_epoch, FakeVerb::newest_marker, FakeVerb::commit_prepared,
        FakeVerb::rollback_prepared, FakeVerb::list_prepared, FakeVerb::ensure_bookkeeping}) {
    for (const When when : {When::before, When::after}) {
      INFO("verb " << static_cast<int>(verb) << (when == When::before ? " before" : " after"));
      const LogIdentity old = recover().identity;
      const std::uint64_t checkpoint = old.reserved_through;
      const Committable decided = prepare(xid(old, checkpoint), 7);
      static_cast<void>(prepare(xid(old, checkpoint, 1), 8));
      decide(old, {decided});
      const std::size_t before = ids().size();
      server().fail(verb, 1, lost_connection(), when);
      targets = open_targets();  // without sessions at hand
      bool done = false;
      for (int i = 0; i < 3 && !done; ++i) {
        try {
          done = recover().report.clean();
        } catch (const Error& error) {
          CHECK(error.retryable());
        }
      }
      REQUIRE(done);
      CHECK(ids().size() == before + 1);
      CHECK(server().prepared_gids().empty());
    }
  }
}

TEST_CASE_METHOD(Fixture,
                 "a process that was superseded can't take the log back, and rolls back only what is its own") {
  const LogIdentity mine = recover().identity;
  const Committable decided = prepare(xid(mine, 1), 1);
  const Committable late = prepare(xid(mine, 2), 2);
  decide(mine, {decided});
  const auto others_log = open_log_in_spite_of_the_lock();
  const LogIdentity others = others_log->raise_epoch(3);
  const Committable newer = prepare(xid(others, 8), 3);

  CHECK_THROWS_AS(decide(mine, {late}), FencedError);
  CHECK_THROWS_AS(recover(), FencedError);
  CHECK(log->identity().epoch == others.epoch);

  std::vector<RecoveredBranch> swept;
  txn::sweep_after_fence(*log, targets, {mine.job, mine.owner, mine.epoch}, swept);
  REQUIRE(swept.size() == 1);
  CHECK(swept[0].xid == late.xid.gid());
  CHECK(swept[0].action == Action::rolled_back);
  // The decided one is the other's to commit, the newer one is the other's own.
  auto left = server().prepared_gids();
  std::sort(left.begin(), left.end());
  CHECK(left == std::vector<std::string>{decided.xid.gid(), newer.xid.gid()});
}

TEST_CASE_METHOD(Fixture, "who is not fenced by the log sweeps nothing of its own") {
  const LogIdentity mine = recover().identity;
  const Committable open = prepare(xid(mine, 1), 1);
  std::vector<RecoveredBranch> swept;
  txn::sweep_after_fence(*log, targets, {mine.job, mine.owner, mine.epoch}, swept);
  CHECK(swept.empty());
  CHECK(server().prepared_gids() == std::vector<std::string>{open.xid.gid()});
}

TEST_CASE_METHOD(Fixture, "a raise whose answer was lost does not fence the process that asked for it") {
  const LogIdentity mine = recover().identity;
  // As if the write had gone through unheard.
  CHECK(log->raise_epoch(3).epoch == mine.epoch + 1);
  CHECK(log->raise_epoch(3).epoch == mine.epoch + 2);
}

TEST_CASE_METHOD(Fixture, "a log behind its target is refused before anything changes") {
  const LogIdentity mine = recover().identity;
  const auto session = driver->connect("fake:shop");
  SECTION("by its epoch") { static_cast<void>(session->raise_epoch(mine.job, mine.owner, mine.epoch + 1)); }
  SECTION("by what is visible there") {
    const Committable one = prepare(xid(mine, 1), 1);
    REQUIRE(session->commit_prepared(one.xid).outcome == FinishOutcome::done);
  }
  const Committable open = prepare(xid(mine, 2), 2);
  try {
    static_cast<void>(recover());
    FAIL("it was not refused");
  } catch (const Error& error) {
    CHECK(error.category() == Category::preflight);
    CHECK_THAT(error.what(), contains("is behind its target"));
  }
  CHECK(log->identity().epoch == mine.epoch);
  CHECK(server().prepared_gids() == std::vector<std::string>{open.xid.gid()});
}
