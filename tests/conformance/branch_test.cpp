// The life of branches under either protocol.
#include "tests/conformance/bench.hpp"

using namespace xasink;
using namespace xasink::test;

TEST_CASE("rows are invisible until the commit, and all there after it") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto writer = bench.resource->open_writer();
    writer->begin(bench.xid(1));
    writer->write(bench.batch(1, 6));
    CHECK(bench.rows() == 0);
    writer->prepare({bench.xid(1), 6, bench.batch(1, 6).bytes()});
    CHECK(bench.rows() == 0);
    const Committable branch{bench.resource->protocol(), bench.resource->name(), bench.schema->table, bench.xid(1), 6,
                             bench.batch(1, 6).bytes(),  writer->spool()};
    const auto finisher = bench.resource->open_finisher();
    CHECK_FALSE(finisher->marker_present(branch.xid));
    const FinishResult result = finisher->commit(branch);
    CHECK(result.outcome == FinishOutcome::done);
    CHECK_FALSE(result.evidence.empty());
    CHECK(bench.ids() == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
    CHECK(finisher->marker_present(branch.xid));
  }
}

TEST_CASE("a commit asked for again finds nothing to do, and the marker says why") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const Committable branch = bench.prepare(1);
    CHECK(bench.resource->open_finisher()->commit(branch).outcome == FinishOutcome::done);
    for (int i = 0; i < 2; ++i) {
      const auto finisher = bench.resource->open_finisher();
      const FinishResult again = finisher->commit(branch);
      CHECK(again.outcome == FinishOutcome::not_found);
      CHECK_FALSE(again.evidence.empty());
      CHECK(finisher->marker_present(branch.xid));
    }
    CHECK(bench.rows() == 6);
  }
}

TEST_CASE("an unknown xid is not found and has no marker") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    Committable branch = bench.prepare(1);
    branch.xid = bench.xid(2);
    branch.spool.clear();
    const auto finisher = bench.resource->open_finisher();
    CHECK(finisher->commit(branch).outcome == FinishOutcome::not_found);
    CHECK(finisher->rollback(branch.xid).outcome == FinishOutcome::not_found);
    CHECK_FALSE(finisher->marker_present(branch.xid));
    CHECK(bench.listed().size() == 1);
  }
}

TEST_CASE("a branch that is rolled back leaves neither rows nor a marker, and can't be committed any more") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const Committable branch = bench.prepare(1);
    const auto finisher = bench.resource->open_finisher();
    CHECK(finisher->rollback(branch.xid).outcome == FinishOutcome::done);
    CHECK(finisher->rollback(branch.xid).outcome == FinishOutcome::not_found);
    CHECK(finisher->commit(branch).outcome == FinishOutcome::not_found);
    CHECK_FALSE(finisher->marker_present(branch.xid));
    CHECK(bench.rows() == 0);
    CHECK(bench.listed().empty());
  }
}

TEST_CASE("a prepared branch outlives its writer, and another connection finishes it") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    auto writer = bench.resource->open_writer();
    const Committable branch = bench.prepare(*writer, bench.xid(1), 1, 6);
    writer.reset();
    REQUIRE(bench.listed().size() == 1);
    CHECK(bench.resource->open_finisher()->commit(branch).outcome == FinishOutcome::done);
    CHECK(bench.rows() == 6);
  }
}

TEST_CASE("an open branch is gone with its writer, or when it is given up") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    auto writer = bench.resource->open_writer();
    writer->begin(bench.xid(1));
    writer->write(bench.batch(1, 6));
    writer.reset();
    CHECK(bench.listed().empty());

    writer = bench.resource->open_writer();
    writer->begin(bench.xid(2));
    writer->write(bench.batch(1, 6));
    writer->rollback();
    CHECK(bench.listed().empty());
    const Committable branch = bench.prepare(*writer, bench.xid(3), 1, 6);
    CHECK(bench.resource->open_finisher()->commit(branch).outcome == FinishOutcome::done);
    CHECK(bench.rows() == 6);
  }
}

TEST_CASE("a writer goes on with the next branch while the last one waits, and each is all or nothing") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto writer = bench.resource->open_writer();
    const Committable first = bench.prepare(*writer, bench.xid(1, 0), 1, 3);
    const Committable second = bench.prepare(*writer, bench.xid(1, 1), 101, 3);
    const Committable third = bench.prepare(*writer, bench.xid(2), 201, 3);
    const auto finisher = bench.resource->open_finisher();
    CHECK(finisher->commit(second).outcome == FinishOutcome::done);
    CHECK(bench.ids() == std::vector<std::int64_t>{101, 102, 103});
    CHECK(finisher->rollback(first.xid).outcome == FinishOutcome::done);
    CHECK(finisher->commit(third).outcome == FinishOutcome::done);
    CHECK(bench.ids() == std::vector<std::int64_t>{101, 102, 103, 201, 202, 203});
    CHECK_FALSE(finisher->marker_present(first.xid));
    CHECK(finisher->marker_present(second.xid));
  }
}

TEST_CASE("prepared branches are listed by name and time until they are finished") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const Committable first = bench.prepare(1, 1);
    const Committable second = bench.prepare(2, 101);
    auto listed = bench.listed();
    REQUIRE(listed.size() == 2);
    std::sort(listed.begin(), listed.end(),
              [](const auto& a, const auto& b) { return a.xid->checkpoint < b.xid->checkpoint; });
    CHECK(listed[0].xid == first.xid);
    CHECK(listed[1].xid == second.xid);
    for (const PreparedTransaction& one : listed) {
      CHECK(one.gid == one.xid->gid());
      CHECK(one.finishable);
      REQUIRE(one.prepared_at);
      CHECK(std::chrono::abs(std::chrono::system_clock::now() - *one.prepared_at) < std::chrono::minutes(2));
    }
    CHECK(bench.resource->open_finisher()->commit(first).outcome == FinishOutcome::done);
    listed = bench.listed();
    REQUIRE(listed.size() == 1);
    CHECK(listed[0].xid == second.xid);
  }
}

TEST_CASE("a branch in which a row was refused is never prepared, not even what was good of it") {
  XASINK_FOR_EACH_DRIVER(dut) {
    const Bench bench(dut);
    const auto writer = bench.resource->open_writer();
    writer->begin(bench.xid(1));
    writer->write(bench.batch(1, 6));
    const RowBatch bad = bench.bad_batch();
    const auto finish = [&] { writer->prepare({bench.xid(1), 8, bench.batch(1, 6).bytes() + bad.bytes()}); };
    // A server may tell only at the end of the bulk statement.
    CHECK(error_of([&] {
            writer->write(bad);
            finish();
          }).category() == Category::data);
    CHECK_THROWS_AS(finish(), Error);
    CHECK(bench.listed().empty());
    writer->rollback();
    const Committable good = bench.prepare(*bench.resource->open_writer(), bench.xid(2), 1, 6);
    CHECK(bench.resource->open_finisher()->commit(good).outcome == FinishOutcome::done);
    CHECK(bench.rows() == 6);
  }
}

TEST_CASE("prepared branches survive the loss of every session, open ones don't") {
  XASINK_FOR_EACH_DRIVER(dut) {
    if (!dut.cut_sessions) continue;
    const Bench bench(dut);
    const Committable prepared = bench.prepare(1, 1);
    const auto writer = bench.resource->open_writer();
    writer->begin(bench.xid(2));
    writer->write(bench.batch(101, 6));
    dut.cut_sessions(*bench.target);
    CHECK_THROWS_AS(writer->prepare({bench.xid(2), 6, bench.batch(101, 6).bytes()}), Error);
    REQUIRE(bench.listed().size() == 1);
    CHECK(bench.listed()[0].xid == prepared.xid);
    CHECK(bench.resource->open_finisher()->commit(prepared).outcome == FinishOutcome::done);
    CHECK(bench.ids() == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
  }
}
