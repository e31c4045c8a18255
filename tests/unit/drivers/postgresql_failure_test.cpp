// Rows the server refuses, and servers and sessions that go away.
#include <thread>

#include "tests/unit/drivers/postgresql_fixture.hpp"

using namespace xasink;
using namespace xasink::test;
using namespace std::chrono_literals;

namespace {

void fresh_table(const std::string& name, const std::string& columns = "id bigint PRIMARY KEY") {
  shop_query("DROP TABLE IF EXISTS " + name + "; CREATE TABLE " + name + " (" + columns + "); GRANT ALL ON " + name +
             " TO app");
}

/// Writes batches, then the marker, until something throws.
void write_all(Session& session, const std::vector<RowBatch>& batches) {
  const Xid xid = next_xid();
  session.begin(xid);
  std::uint64_t rows = 0;
  for (const RowBatch& batch : batches) {
    session.write(batch);
    rows += batch.rows();
  }
  static_cast<void>(session.write_marker(marker_of(xid, rows)));
}

std::vector<RowBatch> batches_of(const Schema& schema, int count, std::int64_t rows) {
  std::vector<RowBatch> batches;
  for (int i = 0; i < count; ++i) {
    batches.push_back(id_batch(schema, i * rows, rows, "part" + std::to_string(i) + ".csv", 2));
  }
  return batches;
}

}  // namespace

TEST_CASE("a duplicate key names table, file, line, constraint and value") {
  fresh_table("keys");
  shop_query("INSERT INTO keys VALUES (4)");
  const auto session = ready_session(shop_url());
  std::vector<RowBatch> batches;
  batches.push_back(id_batch(id_schema("keys"), 1, 10, "orders.csv", 100));
  const DataError error = data_error_of([&] { write_all(*session, batches); });
  CHECK(error.details().sqlstate == "23505");
  CHECK_FALSE(error.retryable());
  CHECK(error.details().session_usable);
  CHECK(error.origin().file == "orders.csv");
  CHECK(error.origin().line == 103);
  CHECK_THAT(error.what(),
             contains("orders.csv:103") && contains("public.keys") && contains("keys_pkey") && contains("(id)=(4)"));
  session->rollback();
  CHECK(session->usable());
  CHECK(shop_value("SELECT count(*) FROM keys") == "1");
}

TEST_CASE("an error that comes late is mapped to the batch it belongs to") {
  fresh_table("late");
  // The 3rd batch of 8 has the bad row; by the time the server says so, others are on their way.
  shop_query("INSERT INTO late VALUES (45000)");
  const auto session = ready_session(shop_url());
  const auto batches = batches_of(id_schema("late"), 8, 20'000);
  const DataError error = data_error_of([&] { write_all(*session, batches); });
  CHECK(error.origin().file == "part2.csv");
  CHECK(error.origin().line == 5002);
  session->rollback();
}

TEST_CASE("a failed COPY is noticed while rows are still being written, not at the end") {
  fresh_table("early");
  shop_query("INSERT INTO early VALUES (0)");
  const auto session = ready_session(shop_url());
  const auto schema = id_schema("early");
  session->begin(next_xid());
  bool noticed = false;
  for (int i = 0; i < 400 && !noticed; ++i) {
    try {
      session->write(id_batch(schema, i * 10'000, 10'000));
    } catch (const DataError& error) {
      noticed = true;
      CHECK(error.origin().line == 2);
    }
    std::this_thread::sleep_for(2ms);
  }
  CHECK(noticed);
  CHECK_THROWS_WITH(session->write(id_batch(schema, 1, 1)), contains("poisoned"));
  session->rollback();
}

TEST_CASE("not null, check and range violations name the column or the constraint") {
  fresh_table("strict_rows", "id bigint NOT NULL CHECK (id < 100), code varchar(3), day date");
  const auto session = ready_session(shop_url());
  const auto schema = std::make_shared<const TableSchema>(
      TableSchema{"strict_rows", {{"id", {.kind = TypeKind::int64}, true}, {"code", {.kind = TypeKind::text}, true}}});
  const auto refused = [&](auto fill) {
    std::vector<RowBatch> batches;
    batches.emplace_back(schema);
    batches[0].set_file(std::make_shared<const std::string>("rows.csv"));
    fill(batches[0]);
    batches[0].end_row(9);
    DataError error = data_error_of([&] { write_all(*session, batches); });
    session->rollback();
    CHECK(error.origin().file == "rows.csv");
    CHECK(error.origin().line == 9);
    return error;
  };
  const DataError null = refused([](RowBatch& batch) {
    batch.append_null();
    batch.append_bytes("a");
  });
  CHECK(null.details().sqlstate == "23502");
  CHECK(null.origin().column == "id");
  const DataError check = refused([](RowBatch& batch) {
    batch.append_int(100);
    batch.append_bytes("a");
  });
  CHECK(check.details().sqlstate == "23514");
  CHECK_THAT(check.what(), contains("strict_rows_id_check"));
  const DataError encoding = refused([](RowBatch& batch) {
    batch.append_int(1);
    batch.append_bytes("\xff");
  });
  CHECK(encoding.details().sqlstate == "22021");
  CHECK(encoding.origin().column == "code");
  const DataError length = refused([](RowBatch& batch) {
    batch.append_int(1);
    batch.append_bytes("four");
  });
  CHECK(length.origin().column == "code");
  CHECK(length.origin().value == "four");
}

TEST_CASE("a row check refuses before any row is sent what write would refuse by its value") {
  fresh_table("checked", "id smallint, code varchar(3)");
  const auto schema = std::make_shared<const TableSchema>(
      TableSchema{"checked", {{"id", {.kind = TypeKind::int64}, true}, {"code", {.kind = TypeKind::text}, true}}});
  const auto check = make_postgresql_driver()->row_check(shop_url(), *schema);
  const auto batch_with = [&](std::int64_t last) {
    RowBatch batch(schema);
    batch.set_file(std::make_shared<const std::string>("rows.csv"));
    for (std::uint64_t line = 1; line <= 50'000; ++line) {
      batch.append_int(line == 50'000 ? last : 1);
      batch.append_bytes("abc");
      batch.end_row(line);
    }
    return batch;
  };
  CHECK_NOTHROW(check(batch_with(32'767)));
  CHECK(data_error_of([&] { check(batch_with(32'768)); }).origin().line == 50'000);
  CHECK_NOTHROW(check(batch_with(2)));  // a refusal leaves the check as good as new
  const TableSchema other{"checked", {{"id", {.kind = TypeKind::uuid}, true}}};
  CHECK_THROWS_WITH(make_postgresql_driver()->row_check(shop_url(), other), contains("takes no uuid"));
}

TEST_CASE("rows that a trigger drops are missed before anything can be prepared") {
  fresh_table("dropping");
  shop_query(
      "CREATE OR REPLACE FUNCTION drop_odd() RETURNS trigger LANGUAGE plpgsql AS "
      "'BEGIN IF new.id % 2 = 1 THEN RETURN NULL; END IF; RETURN new; END'; "
      "CREATE TRIGGER t BEFORE INSERT ON dropping FOR EACH ROW EXECUTE FUNCTION drop_odd()");
  const auto session = ready_session(shop_url());
  const Error error = error_of([&] { write_all(*session, batches_of(id_schema("dropping"), 1, 10)); });
  CHECK(error.category() == Category::server);
  CHECK_THAT(error.what(), contains("COPY 5") && contains("10 rows"));
  CHECK_THAT(error.details().hint, contains("trigger"));
  CHECK_THROWS_WITH(session->commit(), contains("poisoned"));
  session->rollback();
}

TEST_CASE("a server that talks during COPY costs nothing but another statement") {
  fresh_table("talking");
  shop_query(
      "CREATE OR REPLACE FUNCTION talk() RETURNS trigger LANGUAGE plpgsql AS "
      "'BEGIN PERFORM set_config(''application_name'', ''row'' || new.id, false); RETURN new; END'; "
      "CREATE TRIGGER t BEFORE INSERT ON talking FOR EACH ROW EXECUTE FUNCTION talk()");
  const auto session = ready_session(shop_url());
  write_all(*session, batches_of(id_schema("talking"), 4, 20'000));  // each row makes a ParameterStatus message
  session->commit();
  CHECK(shop_value("SELECT count(*), count(DISTINCT id) FROM talking") == "80000");
}

TEST_CASE("columns that change between the look-up and the rows are noticed") {
  fresh_table("changing", "id bigint");
  const auto session = ready_session(shop_url());
  const auto schema = id_schema("changing");
  write_all(*session, batches_of(schema, 1, 3));
  session->commit();
  // 8 bytes are 8 bytes: without the check at the end these would be stored as nonsense.
  shop_query("ALTER TABLE changing ALTER COLUMN id TYPE double precision");
  const Error error = error_of([&] { write_all(*session, batches_of(schema, 1, 3)); });
  CHECK(error.retryable());
  CHECK_THAT(error.what(), contains("changed"));
  session->rollback();
  CHECK(shop_value("SELECT count(*) FROM changing") == "3");
  // The next branch looks again and sees that its rows no longer fit.
  CHECK_THROWS_WITH(write_all(*session, batches_of(schema, 1, 3)), contains("double precision"));
  session->rollback();
  CHECK(session->usable());
}

TEST_CASE("a missing table, column or right is told as such") {
  fresh_table("present");
  const auto session = ready_session(shop_url());
  const Error table = error_of([&] { write_all(*session, batches_of(id_schema("absent"), 1, 1)); });
  CHECK(table.category() == Category::preflight);
  CHECK_THAT(table.what(), contains("no table absent"));
  session->rollback();
  const auto schema =
      std::make_shared<const TableSchema>(TableSchema{"present", {{"nope", {.kind = TypeKind::int64}, false}}});
  const Error column = error_of([&] { write_all(*session, batches_of(schema, 1, 1)); });
  CHECK(column.category() == Category::preflight);
  CHECK_THAT(column.what(), contains("no column nope"));
  session->rollback();
  shop_query("REVOKE ALL ON present FROM app");
  const Error right = error_of([&] { write_all(*session, batches_of(id_schema("present"), 1, 1)); });
  CHECK(right.category() == Category::preflight);
  CHECK(right.details().sqlstate == "42501");
  CHECK_THAT(right.details().hint, contains("GRANT"));
  session->rollback();
  CHECK(session->usable());
}

TEST_CASE("a session that is terminated in the middle of a branch is lost, retryable, and leaves nothing") {
  fresh_table("terminated");
  const auto session = ready_session(shop_url() + "?application_name=victim");
  session->begin(next_xid());
  const auto schema = id_schema("terminated");
  session->write(id_batch(schema, 0, 50'000));
  REQUIRE(shop_value(
              "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'victim'") == "t");
  const Error lost = error_of([&] {
    for (int i = 1; i < 100; ++i) session->write(id_batch(schema, i * 50'000, 50'000));
  });
  CHECK(lost.category() == Category::connection);
  CHECK(lost.retryable());
  CHECK_FALSE(lost.details().session_usable);
  CHECK_FALSE(session->usable());
  session->rollback();
  CHECK_FALSE(session->usable());
  CHECK(shop_value("SELECT count(*) FROM terminated") == "0");
}

TEST_CASE("a session that is terminated before prepare has nothing prepared") {
  const auto session = ready_session(shop_url() + "?application_name=victim2");
  const Xid xid = next_xid();
  session->begin(xid);
  REQUIRE(session->write_marker(marker_of(xid)));
  REQUIRE(
      shop_value("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'victim2'") ==
      "t");
  const Error lost = error_of([&] { static_cast<void>(session->prepare()); });
  CHECK(lost.category() == Category::connection);
  CHECK(lost.details().xid == xid.gid());
  CHECK_FALSE(session->usable());
  CHECK_FALSE(prepared_at(shared_server(), xid));
}

TEST_CASE("a deadlock is contention: retryable, and the session works after a rollback") {
  fresh_table("dead");
  const auto one = ready_session(shop_url());
  const auto two = ready_session(shop_url());
  const auto schema = id_schema("dead");
  const auto send = [&](Session& session, std::int64_t id) {
    // A batch worth sending by itself, so that the server sees it now.
    session.write(id_batch(schema, id, 20'000));
  };
  one->begin(next_xid());
  two->begin(next_xid());
  send(*one, 0);
  send(*two, 100'000);
  // Wait until both have inserted, then let each insert the other's keys.
  for (int i = 0; i < 500 && shop_value("SELECT count(*) FROM pg_locks WHERE relation = 'dead'::regclass") < "2"; ++i) {
    std::this_thread::sleep_for(2ms);
  }
  std::this_thread::sleep_for(100ms);
  std::atomic<int> deadlocks{0};
  std::atomic<int> others{0};
  const auto collide = [&](Session& session, std::int64_t id, const Xid&) {
    try {
      send(session, id);
      for (int i = 0; i < 50; ++i) {
        session.write(id_batch(schema, 1'000'000 + id * 100 + i * 20'000, 20'000));
        std::this_thread::sleep_for(50ms);
      }
    } catch (const Error& error) {
      if (error.details().sqlstate == "40P01" && error.retryable() && error.details().session_usable) {
        ++deadlocks;
      } else {
        ++others;
      }
    }
    session.rollback();
  };
  std::thread second([&] { collide(*two, 0, {}); });
  collide(*one, 100'000, {});
  second.join();
  CHECK(deadlocks == 1);
  CHECK(others == 0);
  CHECK(one->usable());
  CHECK(two->usable());
}

TEST_CASE("a session that waits for a prepared branch's lock can be interrupted, and its rows are gone") {
  fresh_table("waits");
  const auto holder = ready_session(shop_url());
  const Xid held = next_xid();
  const auto schema = id_schema("waits");
  holder->begin(held);
  holder->write(id_batch(schema, 1, 1));
  REQUIRE(holder->write_marker(marker_of(held, 1)));
  REQUIRE(holder->prepare() == "PREPARE TRANSACTION");

  const auto waiter = ready_session(shop_url());
  std::thread interrupter([&] {
    while (shop_value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == "0") {
      std::this_thread::sleep_for(5ms);
    }
    waiter->interrupt();
  });
  std::vector<RowBatch> batches;
  batches.push_back(id_batch(schema, 1, 1));
  const Error error = error_of([&] { write_all(*waiter, batches); });
  interrupter.join();
  CHECK(error.category() == Category::connection);
  CHECK(error.retryable());
  waiter->rollback();
  CHECK_FALSE(waiter->usable());
  // The server notices, too, without the lock being given up.
  for (int i = 0; i < 200 && shop_value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") != "0";
       ++i) {
    std::this_thread::sleep_for(50ms);
  }
  CHECK(shop_value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == "0");
  CHECK(holder->commit_prepared(held).outcome == FinishOutcome::done);
  CHECK(shop_value("SELECT count(*) FROM waits") == "1");
}
