#include "src/cli/verdict.hpp"

#include "tests/support/catch.hpp"

using namespace xasink;
using namespace xasink::cli;
using Kind = Verdict::Kind;

namespace {

PreparedTransaction prepared(std::uint64_t epoch, const std::string& job = "orders",
                             const std::string& owner = "aaaaaaaaaa") {
  PreparedTransaction transaction;
  transaction.xid = Xid{job, owner, epoch, 0, 42, 0};
  transaction.gid = transaction.xid->gid();
  transaction.owner_role = "app";
  transaction.database = "shop";
  return transaction;
}

LogView log_in_epoch(std::uint64_t epoch, bool decided) {
  return {LogIdentity{"orders", "aaaaaaaaaa", epoch, 100}, [decided](const Xid&) { return decided; }};
}

}  // namespace

TEST_CASE("a branch that a decision names is to be committed, whatever its epoch") {
  CHECK(judge(prepared(6), log_in_epoch(7, true)).kind == Kind::commit);
  CHECK(judge(prepared(7), log_in_epoch(7, true)).kind == Kind::commit);
}

TEST_CASE("a branch of an epoch that is over and that no decision names is to be rolled back") {
  const Verdict verdict = judge(prepared(6), log_in_epoch(7, false));
  CHECK(verdict.kind == Kind::rollback);
  CHECK_THAT(verdict.reason, test::contains("epoch 6 is over"));
}

TEST_CASE("a branch of the log's own epoch may be live") {
  CHECK(judge(prepared(7), log_in_epoch(7, false)).kind == Kind::live_or_rollback);
}

TEST_CASE("a branch that is newer than the log is left") {
  const Verdict verdict = judge(prepared(8), log_in_epoch(7, false));
  CHECK(verdict.kind == Kind::leave);
  CHECK_THAT(verdict.reason, test::contains("old copy"));
}

TEST_CASE("branches of another job, or of another job of the same name, are left") {
  const Verdict other_job = judge(prepared(6, "events"), log_in_epoch(7, false));
  CHECK(other_job.kind == Kind::leave);
  CHECK_THAT(other_job.reason, test::contains("job events"));
  const Verdict other_owner = judge(prepared(6, "orders", "bbbbbbbbbb"), log_in_epoch(7, false));
  CHECK(other_owner.kind == Kind::leave);
  CHECK_THAT(other_owner.reason, test::contains("bbbbbbbbbb"));
}

TEST_CASE("what xasink did not name is left, with a log and without one") {
  PreparedTransaction foreign;
  foreign.gid = "somebody's";
  CHECK(judge(foreign, log_in_epoch(7, true)).kind == Kind::leave);
  CHECK(judge(foreign, std::nullopt).kind == Kind::leave);
}

TEST_CASE("without a log nothing is said about a branch of ours") {
  const Verdict verdict = judge(prepared(6), std::nullopt);
  CHECK(verdict.kind == Kind::unknown);
  CHECK_THAT(verdict.reason, test::contains("the log of job orders"));
}

TEST_CASE("a verdict that this account can't carry out says who can") {
  PreparedTransaction transaction = prepared(6);
  transaction.finishable = false;
  const Verdict verdict = judge(transaction, log_in_epoch(7, false));
  CHECK(verdict.kind == Kind::rollback);
  CHECK_THAT(verdict.reason, test::contains("only role app in database shop"));
}
