#include "tests/unit/sqlite/sqlite_fixture.hpp"

using namespace xasink;
using xasink::test::batch_of;
using xasink::test::contains;
using xasink::test::error_of;
using xasink::test::load;
using xasink::test::sqlite_xid;
using xasink::test::SqliteFixture;

namespace {

struct SessionFixture : SqliteFixture {
  std::shared_ptr<const TableSchema> schema;
  std::unique_ptr<Session> session;

  SessionFixture() { sql("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"); }

  /// After a test has made what else it needs.
  void open() {
    schema = describe();
    session = driver->connect(url);
    session->ensure_bookkeeping();
  }
};

}  // namespace

TEST_CASE_METHOD(SessionFixture, "a committed branch has its rows and a marker that describes it") {
  open();
  load(*session, batch_of(schema, {{"1", "a"}, {"2", std::nullopt}}), sqlite_xid(5));
  CHECK(sql("SELECT id, name FROM t ORDER BY id") == std::vector<Row>{{"1", "a"}, {"2", "NULL"}});
  CHECK(sql("SELECT owner, checkpoint, writer, part, epoch, job, \"rows\" FROM xasink_markers") ==
        std::vector<Row>{{"0a1b2c3d4e", "5", "0", "0", "1", "orders", "2"}});
  CHECK(value("SELECT abs(julianday('now') - julianday(written_at)) < 0.01 FROM xasink_markers") == "1");
}

TEST_CASE_METHOD(SessionFixture, "a duplicate names file, line, table and constraint, and poisons the branch") {
  open();
  session->begin(sqlite_xid());
  try {
    session->write(batch_of(schema, {{"1", "a"}, {"2", "b"}, {"3", "a"}}));
    FAIL("taken");
  } catch (const DataError& error) {
    CHECK_THAT(error.what(),
               contains("in.csv:3: ") && contains("table t") && contains("UNIQUE constraint failed: t.name"));
    CHECK(error.origin().file == "in.csv");
    CHECK(error.origin().line == 3);
    CHECK(error.details().vendor_code == 2067);
  }
  CHECK(error_of([&] { session->write(batch_of(schema, {{"9", "z"}})); }).category() == Category::usage);
  CHECK(error_of([&] {
          static_cast<void>(session->write_marker({sqlite_xid(), 2, 1}));
        }).category() == Category::usage);
  CHECK(error_of([&] { session->commit(); }).category() == Category::usage);
  session->rollback();
  CHECK(session->usable());
  CHECK(value("SELECT count(*) FROM t") == "0");
  load(*session, batch_of(schema, {{"1", "a"}}), sqlite_xid());
  CHECK(value("SELECT count(*) FROM t") == "1");
}

TEST_CASE_METHOD(SessionFixture,
                 "a table that says ON CONFLICT IGNORE or REPLACE still answers a duplicate with an error") {
  sql("CREATE TABLE i (id INTEGER PRIMARY KEY ON CONFLICT IGNORE, name TEXT UNIQUE ON CONFLICT REPLACE)");
  open();
  schema = describe("i");
  for (const char* name : {"b", "a"}) {
    session->begin(sqlite_xid());
    CHECK_THROWS_AS(session->write(batch_of(schema, {{"1", "a"}, {name == std::string("b") ? "1" : "2", name}})),
                    DataError);
    session->rollback();
  }
  CHECK(value("SELECT count(*) FROM i") == "0");
}

TEST_CASE_METHOD(SessionFixture, "a trigger that drops a row without an error is found") {
  sql("CREATE TRIGGER skip BEFORE INSERT ON t WHEN NEW.id = 2 BEGIN SELECT RAISE(IGNORE); END");
  open();
  session->begin(sqlite_xid());
  CHECK_THROWS_WITH(session->write(batch_of(schema, {{"1", "a"}, {"2", "b"}})),
                    contains("in.csv:2: ") && contains("without an error"));
}

TEST_CASE_METHOD(SessionFixture, "foreign keys hold though SQLite's default is to ignore them") {
  sql("CREATE TABLE child (id INTEGER PRIMARY KEY, parent INT REFERENCES t(id))");
  open();
  session->begin(sqlite_xid());
  CHECK_THROWS_WITH(session->write(batch_of(describe("child"), {{"1", "99"}})), contains("FOREIGN KEY"));
}

TEST_CASE_METHOD(SessionFixture, "a marker must fit the rows that were taken") {
  open();
  session->begin(sqlite_xid());
  session->write(batch_of(schema, {{"1", "a"}}));
  CHECK(error_of([&] {
          static_cast<void>(session->write_marker({sqlite_xid(), 2, 1}));
        }).category() == Category::internal);
  CHECK(error_of([&] { session->commit(); }).category() == Category::usage);
}

TEST_CASE_METHOD(SessionFixture, "nothing is committed without its marker, and two-phase verbs say why they can't be") {
  open();
  CHECK(error_of([&] { session->commit(); }).category() == Category::usage);
  session->begin(sqlite_xid());
  CHECK(error_of([&] { session->begin(sqlite_xid(2)); }).category() == Category::usage);
  CHECK(error_of([&] { static_cast<void>(session->marker_present(sqlite_xid())); }).category() == Category::usage);
  session->write(batch_of(schema, {{"1", "a"}}));
  CHECK(error_of([&] { session->commit(); }).category() == Category::usage);
  CHECK(error_of([&] { static_cast<void>(session->prepare()); }).category() == Category::preflight);
  session->rollback();
  CHECK_THROWS_WITH(session->commit_prepared(sqlite_xid()), contains("no two-phase commit"));
  CHECK_THROWS_WITH(session->rollback_prepared(sqlite_xid()), contains("no two-phase commit"));
  CHECK(session->list_prepared().empty());
}

TEST_CASE_METHOD(SessionFixture, "without bookkeeping tables there is no marker, and asking makes none") {
  schema = describe();
  session = driver->connect(url);
  CHECK_FALSE(session->marker_present(sqlite_xid()));
  CHECK(session->prune_markers("0a1b2c3d4e", 9) == 0);
  CHECK(value("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'xasink%'") == "0");
}

TEST_CASE_METHOD(SessionFixture, "a branch lost with its session leaves no rows and no lock") {
  open();
  session->begin(sqlite_xid());
  session->write(batch_of(schema, {{"1", "a"}}));
  session.reset();
  CHECK(value("SELECT count(*) FROM t") == "0");
  const auto next = driver->connect(url);
  load(*next, batch_of(schema, {{"1", "a"}}), sqlite_xid());
  CHECK(value("SELECT count(*) FROM t") == "1");
}

TEST_CASE_METHOD(SessionFixture, "columns that went since are errors that name them") {
  sql("CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT)");
  open();
  schema = describe("u");
  sql("ALTER TABLE u DROP COLUMN name");
  session->begin(sqlite_xid());
  CHECK_THROWS_WITH(session->write(batch_of(schema, {{"1", "a"}})), contains("column name of table u does not exist"));
}
