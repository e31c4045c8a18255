// Sessions by themselves: what both protocols stand on.
#include "tests/conformance/bench.hpp"

using namespace xasink;
using namespace xasink::test;

TEST_CASE("a local commit is all or nothing, and its marker makes a second one change nothing") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto session = bench.connect();
    CHECK(bench.apply(*session, bench.xid(1), 1, 6));
    CHECK(bench.rows() == 6);
    CHECK(session->marker_present(bench.xid(1)));
    CHECK_FALSE(bench.apply(*session, bench.xid(1), 101, 6));
    CHECK(bench.rows() == 6);
    CHECK(session->usable());
    CHECK(bench.apply(*session, bench.xid(2), 101, 6));
    CHECK(bench.rows() == 12);
  }
}

TEST_CASE("a session refuses verbs out of their order") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto session = bench.connect();
    const RowBatch batch = bench.batch(1, 6);
    CHECK(error_of([&] { session->write(batch); }).category() == Category::usage);
    CHECK(error_of([&] {
            static_cast<void>(session->write_marker({bench.xid(1), 0, 0}));
          }).category() == Category::usage);
    CHECK(error_of([&] { session->commit(); }).category() == Category::usage);
    session->rollback();  // nothing to give up is no error
    session->begin(bench.xid(1));
    CHECK(error_of([&] { session->begin(bench.xid(2)); }).category() == Category::usage);
    session->rollback();
    CHECK(session->usable());
    CHECK(bench.apply(*session, bench.xid(1), 1, 6));
  }
}

TEST_CASE("a refused row poisons the branch: nothing but rollback is taken, and the session goes on") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto session = bench.connect();
    const RowBatch bad = bench.bad_batch();
    session->begin(bench.xid(1));
    session->write(bench.batch(1, 6));
    const Error error = error_of([&] {
      session->write(bad);
      static_cast<void>(session->write_marker({bench.xid(1), 8, 1}));
    });
    CHECK(error.category() == Category::data);
    CHECK_FALSE(error.retryable());
    CHECK_THAT(error.what(), contains("suite.csv") && contains("3"));
    CHECK_THROWS_AS(session->write(bench.batch(50, 1)), Error);
    CHECK_THROWS_AS(session->write_marker({bench.xid(1), 6, 1}), Error);
    CHECK_THROWS_AS(session->commit(), Error);
    if (dut.two_phase) CHECK_THROWS_AS(session->prepare(), Error);
    session->rollback();
    REQUIRE(session->usable());
    CHECK_FALSE(session->marker_present(bench.xid(1)));
    CHECK(bench.rows() == 0);
    CHECK(bench.apply(*session, bench.xid(2), 1, 6));
    CHECK(bench.rows() == 6);
  }
}

TEST_CASE("a marker that does not agree with the rows that were taken is refused") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto session = bench.connect();
    const RowBatch batch = bench.batch(1, 6);
    session->begin(bench.xid(1));
    session->write(batch);
    CHECK_THROWS_AS(session->write_marker({bench.xid(1), 7, batch.bytes()}), Error);
    CHECK_THROWS_AS(session->commit(), Error);
    session->rollback();
    CHECK(bench.rows() == 0);
  }
}

TEST_CASE("a branch whose marker was there already can only be rolled back") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto session = bench.connect();
    REQUIRE(bench.apply(*session, bench.xid(1), 1, 6));
    const RowBatch batch = bench.batch(101, 6);
    session->begin(bench.xid(1));
    session->write(batch);
    CHECK_FALSE(session->write_marker({bench.xid(1), batch.rows(), batch.bytes()}));
    CHECK_THROWS_AS(session->commit(), Error);
    session->rollback();
    CHECK(bench.rows() == 6);
  }
}

TEST_CASE("prepare gives the server's evidence, and leaves the session free for the next branch") {
  XASINK_FOR_EACH_DRIVER(dut) {
    if (!dut.two_phase) continue;
    const Bench bench(dut);
    const auto session = bench.connect();
    for (std::uint64_t checkpoint = 1; checkpoint <= 2; ++checkpoint) {
      const RowBatch batch = bench.batch(static_cast<std::int64_t>(checkpoint) * 100, 6);
      session->begin(bench.xid(checkpoint));
      session->write(batch);
      REQUIRE(session->write_marker({bench.xid(checkpoint), batch.rows(), batch.bytes()}));
      CHECK_FALSE(session->prepare().empty());
    }
    CHECK(session->commit_prepared(bench.xid(1)).outcome == FinishOutcome::done);
    CHECK(session->rollback_prepared(bench.xid(2)).outcome == FinishOutcome::done);
    CHECK(session->commit_prepared(bench.xid(2)).outcome == FinishOutcome::not_found);
    CHECK(bench.rows() == 6);
  }
}

TEST_CASE("a session without two-phase commit says so, with the remedy in its capabilities") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const Capabilities capabilities = bench.target->driver().open_catalog(bench.target->url())->capabilities();
    CHECK(capabilities.two_phase == dut.two_phase);
    CHECK(capabilities.two_phase_reason.empty() == dut.two_phase);
    CHECK_FALSE(capabilities.version.empty());
    CHECK_FALSE(capabilities.bulk_path.empty());
    if (!dut.two_phase) CHECK_THROWS_AS(bench.connect()->commit_prepared(bench.xid(1)), Error);
  }
}
