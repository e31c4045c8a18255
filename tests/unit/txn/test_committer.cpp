// The second phase: what each answer of a server means, and what none means.
#include "txn/committer.hpp"

#include <stdexcept>
#include <thread>

#include "tests/unit/txn/stage.hpp"
#include "txn/prepared/prepared_resource.hpp"

using namespace xasink;
using namespace xasink::test;
using When = FakeServer::When;

namespace {

struct Fixture : Stage {
  Xid xid(std::uint64_t checkpoint = 1, std::uint32_t part = 0) const {
    return {"orders", "abcdefghij", 1, 0, checkpoint, part};
  }
  std::vector<CommitResult> commit(const std::vector<Committable>& committables, unsigned sessions = 2) {
    return txn::commit_branches(
        committables, [&](const Committable&) -> txn::FinisherPool& { return pool; }, quick_retry, sessions);
  }
  CommitResult commit_one(const Committable& one) { return commit({one}).at(0); }
  bool prepared(const Committable& one) const {
    const auto gids = server().prepared_gids();
    return std::find(gids.begin(), gids.end(), one.xid.gid()) != gids.end();
  }

  std::unique_ptr<txn::Resource> resource =
      txn::make_prepared_resource(*driver, "fake:shop", driver->open_catalog("fake:shop")->capabilities());
  txn::FinisherPool pool{*resource};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a branch is committed once, and found committed the second time by its marker") {
  const Committable one = prepare(xid());
  const CommitResult first = commit_one(one);
  CHECK(first.answer == CommitAnswer::committed);
  CHECK(first.evidence == "COMMITTED");
  const CommitResult again = commit_one(one);
  CHECK(again.answer == CommitAnswer::already_committed);
  CHECK_THAT(again.evidence, contains("marker present"));
  CHECK(ids() == counted(0, 1));
}

TEST_CASE_METHOD(Fixture, "a lost answer says nothing: the commit is proved, or done, by the next look") {
  const Committable one = prepare(xid());
  SECTION("the commit happened") {
    server().fail(FakeVerb::commit_prepared, 1, lost_connection(), When::after);
    CHECK(commit_one(one).answer == CommitAnswer::already_committed);
  }
  SECTION("the commit did not happen") {
    server().fail(FakeVerb::commit_prepared, 1, lost_connection());
    const CommitResult result = commit_one(one);
    CHECK(result.answer == CommitAnswer::committed);
    CHECK(result.attempts == 2);
  }
  SECTION("it happened, and the look for the marker fails as well") {
    server().fail(FakeVerb::commit_prepared, 1, lost_connection(), When::after);
    server().fail(FakeVerb::marker_present, 1, lost_connection());
    CHECK(commit_one(one).answer == CommitAnswer::already_committed);
  }
  SECTION("every session is gone") {
    server().drop_sessions();
    CHECK(commit_one(one).answer == CommitAnswer::committed);
  }
  CHECK(ids() == counted(0, 1));
}

TEST_CASE_METHOD(Fixture, "a branch that is neither prepared nor marked is lost, and never taken for committed") {
  const Committable one = prepare(xid());
  REQUIRE(server().lose(one.xid));
  const CommitResult result = commit_one(one);
  CHECK(result.answer == CommitAnswer::lost);
  CHECK_THAT(result.evidence, contains("neither prepared nor marked"));
  CHECK(ids().empty());
}

TEST_CASE_METHOD(Fixture, "a look for the marker that fails is not a look that found none") {
  const Committable one = prepare(xid());
  REQUIRE(commit_one(one).answer == CommitAnswer::committed);
  for (unsigned nth = 1; nth < 500; ++nth) server().fail(FakeVerb::marker_present, nth, lost_connection());
  const CommitResult result = commit_one(one);
  CHECK(result.answer == CommitAnswer::retry_later);
  CHECK_THAT(result.evidence, contains("connection was lost"));
}

TEST_CASE_METHOD(Fixture, "a held branch is waited for within the limit, and stays prepared") {
  const Committable one = prepare(xid());
  server().hold(one.xid);
  SECTION("until it is released") {
    std::thread release([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      server().release(one.xid);
    });
    const CommitResult result = commit_one(one);
    release.join();
    CHECK(result.answer == CommitAnswer::committed);
    CHECK(result.attempts > 1);
  }
  SECTION("or until the time is up") {
    const auto begun = std::chrono::steady_clock::now();
    const CommitResult result = commit_one(one);
    CHECK(result.answer == CommitAnswer::retry_later);
    CHECK(result.evidence == "another session has it");
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(5));
    CHECK(prepared(one));
    CHECK(ids().empty());
  }
}

TEST_CASE_METHOD(Fixture, "an error that waiting does not cure is told at once, and the branch stays prepared") {
  const Committable one = prepare(xid());
  SECTION("from the server") {
    server().fail(FakeVerb::commit_prepared, 1, refusal());
    const CommitResult result = commit_one(one);
    CHECK(result.answer == CommitAnswer::failed);
    CHECK(result.evidence == "permission denied (connect as the role that prepared it)");
    CHECK(result.attempts == 1);
  }
  SECTION("that is none of ours") {
    const auto results = txn::commit_branches(
        std::vector{one}, [](const Committable&) -> txn::FinisherPool& { throw std::runtime_error("out of luck"); },
        quick_retry, 1);
    CHECK(results.at(0).answer == CommitAnswer::failed);
    CHECK(results.at(0).evidence == "out of luck");
  }
  CHECK(prepared(one));
}

TEST_CASE_METHOD(Fixture, "a server that can't be reached leaves the branch in doubt, for a bounded time") {
  const Committable one = prepare(xid());
  for (unsigned nth = 1; nth < 500; ++nth) server().fail(FakeVerb::connect, nth, lost_connection());
  const auto begun = std::chrono::steady_clock::now();
  const CommitResult result = commit_one(one);
  CHECK(result.answer == CommitAnswer::retry_later);
  CHECK(result.attempts > 2);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(5));
}

TEST_CASE_METHOD(Fixture, "checkpoints are committed in their order, and none before one that is not") {
  const Committable third = prepare(xid(3), 30);
  const Committable first = prepare(xid(1), 10);
  const Committable second = prepare(xid(2), 20);
  const Committable also_second = prepare(xid(2, 1), 21);
  SECTION("all can be") {
    for (const CommitResult& result : commit({third, second, first, also_second}, 1)) {
      CHECK(result.answer == CommitAnswer::committed);
    }
    CHECK(ids() == std::vector<std::int64_t>{10, 20, 21, 30});
  }
  SECTION("one of the second can't") {
    server().hold(second.xid);
    const auto results = commit({third, second, first, also_second});
    REQUIRE(results.size() == 4);
    CHECK(results[0].committable == third);
    CHECK(results[0].answer == CommitAnswer::retry_later);
    CHECK(results[0].attempts == 0);
    CHECK(results[0].evidence == "not tried: checkpoint 2 comes first");
    CHECK(results[1].answer == CommitAnswer::retry_later);
    CHECK(results[2].answer == CommitAnswer::committed);
    CHECK(results[3].answer == CommitAnswer::committed);
    CHECK(prepared(third));
  }
}

TEST_CASE_METHOD(Fixture, "branches of a checkpoint share as many sessions as they may have, and keep them") {
  std::vector<Committable> many;
  for (std::uint32_t part = 0; part < 40; ++part) many.push_back(prepare(xid(1, part), part));
  const unsigned before = server().calls(FakeVerb::connect);
  for (const CommitResult& result : commit(many, 3)) CHECK(result.answer == CommitAnswer::committed);
  for (const CommitResult& result : commit(many, 3)) CHECK(result.answer == CommitAnswer::already_committed);
  CHECK(server().calls(FakeVerb::connect) - before <= 3);
  CHECK(ids().size() == 40);
}
