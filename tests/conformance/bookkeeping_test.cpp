// Markers and epochs beside the data.
#include "tests/conformance/bench.hpp"

using namespace xasink;
using namespace xasink::test;

TEST_CASE("an epoch at the target is raised and never lowered, for each owner by itself") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto finisher = bench.resource->open_finisher();
    CHECK(finisher->raise_epoch("suite", bench.owner, 0) == 0);
    CHECK(finisher->raise_epoch("suite", bench.owner, 3) == 3);
    CHECK(finisher->raise_epoch("suite", bench.owner, 2) == 3);
    CHECK(bench.resource->open_finisher()->raise_epoch("suite", bench.owner, 3) == 3);
    CHECK(finisher->raise_epoch("suite", bench.owner, 7) == 7);
    CHECK(finisher->raise_epoch("suite", make_owner(), 1) == 1);
    CHECK(finisher->raise_epoch("suite", bench.owner, 0) == 7);
  }
}

TEST_CASE("markers are pruned up to a checkpoint, and only the owner's") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto finisher = bench.resource->open_finisher();
    for (std::uint64_t checkpoint = 1; checkpoint <= 3; ++checkpoint) {
      const Committable branch = bench.prepare(checkpoint, static_cast<std::int64_t>(checkpoint) * 100);
      REQUIRE(finisher->commit(branch).outcome == FinishOutcome::done);
    }
    Xid foreign = bench.xid(1);
    foreign.owner = make_owner();
    REQUIRE(bench.apply(*bench.connect(), foreign, 1000, 1));
    CHECK(finisher->newest_marker(bench.owner) == 3);
    CHECK(finisher->newest_marker(foreign.owner) == 1);
    CHECK(finisher->newest_marker(make_owner()) == 0);
    CHECK(finisher->prune_markers(bench.owner, 2) == 2);
    CHECK(finisher->newest_marker(bench.owner) == 3);
    CHECK(finisher->prune_markers(bench.owner, 2) == 0);
    CHECK_FALSE(finisher->marker_present(bench.xid(1)));
    CHECK_FALSE(finisher->marker_present(bench.xid(2)));
    CHECK(finisher->marker_present(bench.xid(3)));
    CHECK(finisher->marker_present(foreign));
    CHECK(bench.rows() == 19);
  }
}

TEST_CASE("a prepared branch is not yet the newest marker, a committed one is") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto finisher = bench.resource->open_finisher();
    CHECK(finisher->newest_marker(bench.owner) == 0);
    const Committable branch = bench.prepare(4, 400);
    CHECK(finisher->newest_marker(bench.owner) == 0);
    REQUIRE(finisher->commit(branch).outcome == FinishOutcome::done);
    CHECK(finisher->newest_marker(bench.owner) == 4);
  }
}

TEST_CASE("a marker is of one branch only: every part of the xid counts") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto session = bench.connect();
    REQUIRE(bench.apply(*session, bench.xid(5, 1), 1, 1));
    CHECK(session->marker_present(bench.xid(5, 1)));
    CHECK_FALSE(session->marker_present(bench.xid(5, 0)));
    CHECK_FALSE(session->marker_present(bench.xid(6, 1)));
    Xid other = bench.xid(5, 1);
    other.epoch = 2;
    CHECK_FALSE(session->marker_present(other));
    other = bench.xid(5, 1);
    other.writer = 1;
    CHECK_FALSE(session->marker_present(other));
  }
}

TEST_CASE("bookkeeping tables may be asked for again and again") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto session = bench.connect();
    REQUIRE(bench.apply(*session, bench.xid(1), 1, 1));
    session->ensure_bookkeeping();
    bench.connect()->ensure_bookkeeping();
    CHECK(session->marker_present(bench.xid(1)));
  }
}
