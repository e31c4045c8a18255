#include <fcntl.h>

#include "tests/support/catch.hpp"
#include "tests/support/fake_driver.hpp"
#include "tests/unit/staged/spool_fixture.hpp"
#include "txn/staged/staged_resource.hpp"
#include "xasink/error.hpp"

using namespace xasink;
using xasink::test::contains;
using xasink::test::FakeServer;
using xasink::test::FakeVerb;
using xasink::test::SpoolFixture;

namespace {

struct StagedFixture : SpoolFixture {
  test::FakeDriver driver;
  FakeServer& server = driver.server("shop");
  std::unique_ptr<txn::Resource> resource = txn::make_staged_resource(driver, "fake:shop", folder.path());
  std::unique_ptr<txn::BranchFinisher> finisher = resource->open_finisher();

  StagedFixture() { server.add_table(*schema); }

  Committable stage(const Xid& xid, txn::Resource& where, std::int64_t first = 1) {
    const auto writer = where.open_writer();
    RowBatch batch = test::spool_batch(schema, first, 4, "a.csv");
    writer->begin(xid);
    writer->write(batch);
    writer->prepare({xid, batch.rows(), batch.bytes()});
    return {Protocol::staged, where.name(), schema->table, xid, batch.rows(), batch.bytes(), writer->spool()};
  }
  Committable stage(std::uint64_t checkpoint = 7) { return stage(test::spool_xid(checkpoint), *resource); }

  std::size_t rows() { return server.rows("orders").size(); }
};

Category category_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.category();
  }
  FAIL("nothing was thrown");
  return Category::internal;
}

}  // namespace

TEST_CASE_METHOD(StagedFixture, "a staged branch shows its rows after its commit and not before, and leaves no file") {
  const Committable branch = stage();
  CHECK(std::filesystem::exists(branch.spool));
  CHECK(rows() == 0);
  const FinishResult result = finisher->commit(branch);
  CHECK(result.outcome == FinishOutcome::done);
  CHECK_THAT(result.evidence, contains("applied 4 rows"));
  CHECK(rows() == 4);
  CHECK(finisher->marker_present(branch.xid));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE_METHOD(StagedFixture, "a second commit changes nothing and answers not found, beside the marker") {
  const Committable branch = stage();
  static_cast<void>(finisher->commit(branch));
  CHECK(resource->open_finisher()->commit(branch).outcome == FinishOutcome::not_found);
  CHECK(finisher->marker_present(branch.xid));
  CHECK(rows() == 4);
}

TEST_CASE_METHOD(StagedFixture, "a file left behind by a crash after its commit is removed, not applied again") {
  const Committable branch = stage();
  const std::string bytes = test::read_file(branch.spool);
  static_cast<void>(finisher->commit(branch));
  test::write_file(branch.spool, bytes);

  SECTION("by a commit") {
    const FinishResult result = finisher->commit(branch);
    CHECK(result.outcome == FinishOutcome::not_found);
    CHECK_THAT(result.evidence, contains("marker is there"));
  }
  SECTION("by a rollback, which does not say that it rolled anything back") {
    const FinishResult result = finisher->rollback(branch.xid);
    CHECK(result.outcome == FinishOutcome::not_found);
    CHECK_THAT(result.evidence, contains("was committed"));
  }
  CHECK(rows() == 4);
  CHECK_FALSE(std::filesystem::exists(branch.spool));
}

TEST_CASE_METHOD(StagedFixture,
                 "a lost answer to the local commit leaves the file, and the next commit finds the marker") {
  const Committable branch = stage();
  server.fail(FakeVerb::commit, 1, test::lost_connection(), FakeServer::When::after);
  CHECK(category_of([&] { static_cast<void>(finisher->commit(branch)); }) == Category::connection);
  CHECK(std::filesystem::exists(branch.spool));
  const auto again = resource->open_finisher();
  CHECK(again->commit(branch).outcome == FinishOutcome::not_found);
  CHECK(again->marker_present(branch.xid));
  CHECK(rows() == 4);
  CHECK_FALSE(std::filesystem::exists(branch.spool));
}

TEST_CASE_METHOD(StagedFixture, "an error while rows are applied leaves nothing in the table and the file as it was") {
  const Committable branch = stage();
  const FakeVerb verb = GENERATE(FakeVerb::begin, FakeVerb::write, FakeVerb::write_marker, FakeVerb::commit);
  server.fail(verb, 1, test::lost_connection());
  CHECK_THROWS_AS(finisher->commit(branch), Error);
  CHECK(rows() == 0);
  CHECK(resource->open_finisher()->commit(branch).outcome == FinishOutcome::done);
  CHECK(rows() == 4);
}

TEST_CASE_METHOD(StagedFixture,
                 "commit of a branch without a file and without a marker is not found, and proves nothing") {
  const Committable branch = stage();
  std::filesystem::remove(branch.spool);
  CHECK(finisher->commit(branch).outcome == FinishOutcome::not_found);
  CHECK_FALSE(finisher->marker_present(branch.xid));
}

TEST_CASE_METHOD(StagedFixture, "a file that somebody works on is held, for commit and for rollback") {
  const Committable branch = stage();
  {
    const auto other = txn::staged::File::open(branch.spool);
    REQUIRE(other->try_lock());
    CHECK(finisher->commit(branch).outcome == FinishOutcome::held);
    CHECK(finisher->rollback(branch.xid).outcome == FinishOutcome::held);
    CHECK(rows() == 0);
  }
  CHECK(finisher->commit(branch).outcome == FinishOutcome::done);
}

TEST_CASE_METHOD(StagedFixture, "a damaged file is an error, nothing of it is applied and it is kept") {
  const Committable branch = stage();
  std::string bytes = test::read_file(branch.spool);
  bytes[bytes.size() - 60] ^= 1;  // behind the first rows
  test::write_file(branch.spool, bytes);
  CHECK(category_of([&] { static_cast<void>(finisher->commit(branch)); }) == Category::corrupt);
  CHECK(rows() == 0);
  CHECK_FALSE(finisher->marker_present(branch.xid));
  CHECK(test::read_file(branch.spool) == bytes);
}

TEST_CASE_METHOD(StagedFixture, "a file whose rows, table or resource are not those of the decision is refused") {
  const Committable branch = stage();
  Committable wrong = branch;
  SECTION("rows") { wrong.rows += 1; }
  SECTION("bytes") { wrong.bytes += 1; }
  SECTION("table") { wrong.table = "others"; }
  SECTION("resource") { wrong.resource = "fake:elsewhere"; }
  CHECK(category_of([&] { static_cast<void>(finisher->commit(wrong)); }) == Category::corrupt);
  CHECK(rows() == 0);
  CHECK(finisher->commit(branch).outcome == FinishOutcome::done);
}

TEST_CASE_METHOD(StagedFixture, "a spool folder that was moved is found through the resource") {
  Committable branch = stage();
  const auto moved = temp.path() / "moved";
  std::filesystem::rename(folder.path(), moved);
  const auto there = txn::make_staged_resource(driver, "fake:shop", moved)->open_finisher();
  CHECK(there->commit(branch).outcome == FinishOutcome::done);
  CHECK(rows() == 4);
}

TEST_CASE_METHOD(StagedFixture, "resources that share a folder list and roll back only their own files") {
  const auto other = txn::make_staged_resource(driver, "fake:archive", folder.path());
  driver.server("archive").add_table(*schema);
  const Committable mine = stage(7);
  const Committable theirs = stage(test::spool_xid(8), *other);

  const auto listed = finisher->list();
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].xid == mine.xid);
  CHECK(listed[0].gid == mine.xid.gid());
  CHECK(listed[0].database == "fake:shop");
  CHECK(listed[0].finishable);
  REQUIRE(listed[0].prepared_at);
  CHECK(std::chrono::system_clock::now() - *listed[0].prepared_at < std::chrono::minutes(1));

  CHECK(finisher->rollback(theirs.xid).outcome == FinishOutcome::not_found);
  CHECK(std::filesystem::exists(theirs.spool));
  CHECK(finisher->rollback(mine.xid).outcome == FinishOutcome::done);
  CHECK(finisher->rollback(mine.xid).outcome == FinishOutcome::not_found);
  CHECK_FALSE(std::filesystem::exists(mine.spool));
  CHECK(other->open_finisher()->commit(theirs).outcome == FinishOutcome::done);
}

TEST_CASE_METHOD(StagedFixture, "a file whose header can't be read is listed, can't be committed, and is rolled back by its name") {
  const Committable branch = stage();
  test::write_file(branch.spool, "rubbish");
  const auto listed = finisher->list();
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].xid == branch.xid);
  CHECK(listed[0].database.empty());
  CHECK(category_of([&] { static_cast<void>(finisher->commit(branch)); }) == Category::corrupt);
  CHECK(std::filesystem::exists(branch.spool));
  CHECK(finisher->rollback(branch.xid).outcome == FinishOutcome::done);
  CHECK_FALSE(std::filesystem::exists(branch.spool));
}

TEST_CASE_METHOD(StagedFixture, "files in progress are discarded if they are ours, older and nobody's") {
  const auto leave = [&](const Xid& xid) {
    const auto path = folder.in_progress(xid);
    test::write_file(path, "cut");
    return path;
  };
  folder.ensure();
  const auto ours = leave({"orders", "0a1b2c3d4e", 3, 0, 5, 0});
  const auto same_epoch = leave({"orders", "0a1b2c3d4e", 4, 0, 5, 0});
  const auto other_owner = leave({"orders", "ffffffffff", 3, 0, 5, 0});
  const auto other_job = leave({"bills", "0a1b2c3d4e", 3, 0, 5, 0});
  txn::staged::SpoolWriter live(folder, header({"orders", "0a1b2c3d4e", 3, 0, 6, 0}));

  CHECK(finisher->discard_unprepared("orders", "0a1b2c3d4e", 4) == 1);
  CHECK_FALSE(std::filesystem::exists(ours));
  CHECK(std::filesystem::exists(same_epoch));
  CHECK(std::filesystem::exists(other_owner));
  CHECK(std::filesystem::exists(other_job));
  live.append(test::spool_batch(schema, 1, 1, "a.csv"));
  CHECK(std::filesystem::exists(live.finish()));
}

TEST_CASE_METHOD(StagedFixture, "a NULL that the table can't take is refused before anything is decided") {
  const Xid xid = test::spool_xid();
  const auto writer = resource->open_writer();
  RowBatch batch(schema);
  batch.set_file(std::make_shared<const std::string>("a.csv"));
  for (int i = 0; i < 4; ++i) batch.append_null();
  batch.end_row(17);
  writer->begin(xid);
  try {
    writer->write(batch);
    FAIL("the row was taken");
  } catch (const DataError& error) {
    CHECK_THAT(error.what(), contains("a.csv:17: column id of table orders"));
    CHECK(error.origin().file == "a.csv");
    CHECK(error.origin().line == 17);
    CHECK(error.origin().column == "id");
  }
  CHECK(category_of([&] { writer->write(test::spool_batch(schema, 1, 1, "a.csv")); }) == Category::usage);
  CHECK(category_of([&] { writer->prepare({xid, 1, 1}); }) == Category::usage);
  writer->rollback();
  CHECK(folder.in_progress_files().empty());
  CHECK(folder.prepared_files().empty());
}

TEST_CASE_METHOD(StagedFixture, "calls in a wrong order are refused and name the branch") {
  const Xid xid = test::spool_xid();
  const auto writer = resource->open_writer();
  const RowBatch batch = test::spool_batch(schema, 1, 2, "a.csv");
  CHECK(category_of([&] { writer->write(batch); }) == Category::usage);
  CHECK(category_of([&] { writer->prepare({xid, 0, 0}); }) == Category::usage);
  writer->begin(xid);
  CHECK(category_of([&] { writer->begin(xid); }) == Category::usage);
  CHECK(category_of([&] { writer->prepare({xid, 0, 0}); }) == Category::usage);
  writer->write(batch);
  CHECK(category_of([&] { writer->prepare({xid, 1, batch.bytes()}); }) == Category::internal);
  CHECK(category_of([&] { writer->prepare({xid, 2, batch.bytes()}); }) == Category::usage);
  writer->rollback();
  writer->begin(xid);
  writer->write(batch);
  writer->prepare({xid, 2, batch.bytes()});
  CHECK(std::filesystem::exists(writer->spool()));
}
