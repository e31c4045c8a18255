// What the facts about PostgreSQL's two-phase commit promise, row by row.
#include <thread>

#include "drivers/postgresql/connection.hpp"
#include "tests/unit/drivers/postgresql_fixture.hpp"

using namespace xasink;
using namespace xasink::test;
using namespace std::chrono_literals;

TEST_CASE("a session goes on at once after prepare, and another one finishes the branch while it lives") {
  const auto writer = ready_session(shop_url());
  const auto finisher = connect(shop_url());
  const Xid first = next_xid();
  const Xid second = next_xid();
  prepare_empty(*writer, first);
  prepare_empty(*writer, second);
  CHECK_FALSE(finisher->marker_present(first));
  const auto done = finisher->commit_prepared(first);
  CHECK(done.outcome == FinishOutcome::done);
  CHECK(done.evidence == "COMMIT PREPARED");
  CHECK(finisher->marker_present(first));
  const auto gone = finisher->rollback_prepared(second);
  CHECK(gone.outcome == FinishOutcome::done);
  CHECK(gone.evidence == "ROLLBACK PREPARED");
  CHECK_FALSE(finisher->marker_present(second));
}

TEST_CASE("the server answers PREPARE of a failed transaction with success and the tag ROLLBACK") {
  auto connection = postgresql::Connection::open(postgresql::Conninfo::parse(shop_url()));
  const Xid xid = next_xid();
  connection.exec("BEGIN", "test");
  CHECK_FALSE(connection.try_exec("SELECT 1 / 0").ok());
  const auto answer = connection.try_exec("PREPARE TRANSACTION '" + xid.gid() + "'");
  CHECK(answer.ok());
  CHECK(answer.tag() == "ROLLBACK");
  CHECK_FALSE(prepared_at(shared_server(), xid));
}

TEST_CASE("a branch in which a statement failed is not even asked to prepare") {
  shop_query("CREATE TABLE IF NOT EXISTS failing (id bigint PRIMARY KEY); GRANT ALL ON failing TO app");
  const auto session = ready_session(shop_url());
  const Xid xid = next_xid();
  session->begin(xid);
  const auto schema = id_schema("failing");
  session->write(id_batch(schema, 1, 1));
  session->write(id_batch(schema, 1, 1));
  CHECK_THROWS_AS(static_cast<void>(session->write_marker(marker_of(xid, 2))), DataError);
  const Error refused = error_of([&] { static_cast<void>(session->prepare()); });
  CHECK(refused.category() == Category::usage);
  CHECK_THAT(refused.what(), contains("prepare") && contains("poisoned"));
  CHECK_FALSE(prepared_at(shared_server(), xid));
  session->rollback();
  REQUIRE(session->usable());
  prepare_empty(*session, next_xid());
}

TEST_CASE("a constraint that fails only at prepare leaves nothing prepared") {
  shop_query("DROP TABLE IF EXISTS child; DROP TABLE IF EXISTS parent");
  shop_query(
      "CREATE TABLE parent (id bigint PRIMARY KEY); "
      "CREATE TABLE child (id bigint REFERENCES parent DEFERRABLE INITIALLY DEFERRED); "
      "GRANT ALL ON parent, child TO app");
  const auto session = ready_session(shop_url());
  const Xid xid = next_xid();
  session->begin(xid);
  session->write(id_batch(id_schema("child"), 1, 1));
  REQUIRE(session->write_marker(marker_of(xid, 1)));
  const Error error = error_of([&] { static_cast<void>(session->prepare()); });
  CHECK(error.details().sqlstate == "23503");
  CHECK(error.details().xid == xid.gid());
  CHECK_FALSE(prepared_at(shared_server(), xid));
  session->rollback();
  CHECK(session->usable());
}

TEST_CASE("finishing an unknown name is not found, with the server's words") {
  const auto session = connect(shop_url());
  const auto result = session->commit_prepared(next_xid());
  CHECK(result.outcome == FinishOutcome::not_found);
  CHECK_THAT(result.evidence, contains("does not exist"));
  CHECK(session->rollback_prepared(next_xid()).outcome == FinishOutcome::not_found);
  CHECK(session->usable());
}

TEST_CASE("a name in use is refused and the first branch of that name is untouched") {
  const auto session = ready_session(shop_url());
  Xid xid = next_xid();
  prepare_empty(*session, xid);
  // A second use of the name can't get as far as its marker while the first holds the key, so it must not have one.
  const auto other = connect(shop_url());
  shop_query("DELETE FROM xasink_markers");
  other->begin(xid);
  std::thread rollback([&] {
    // The marker of the second waits for the first branch: that it waits is seen before anything is finished.
    while (shop_value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'transactionid'") == "0") {
      std::this_thread::sleep_for(5ms);
    }
    shop_query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'transactionid'");
  });
  const Error waited = error_of([&] { static_cast<void>(other->write_marker(marker_of(xid))); });
  rollback.join();
  CHECK(waited.category() == Category::contention);
  other->rollback();
  CHECK(prepared_at(shared_server(), xid));
  CHECK(session->rollback_prepared(xid).outcome == FinishOutcome::done);
}

TEST_CASE("a name in use by somebody else's transaction is an error of prepare that names it") {
  const auto session = ready_session(shop_url());
  const Xid xid = next_xid();
  shop_query("BEGIN; PREPARE TRANSACTION '" + xid.gid() + "'");
  session->begin(xid);
  REQUIRE(session->write_marker(marker_of(xid)));
  const Error error = error_of([&] { static_cast<void>(session->prepare()); });
  CHECK(error.details().sqlstate == "42710");
  CHECK_FALSE(error.retryable());
  CHECK(error.details().xid == xid.gid());
  session->rollback();
  CHECK(session->usable());
  shop_query("ROLLBACK PREPARED '" + xid.gid() + "'");
}

TEST_CASE("a branch survives its session's end after prepare, and is gone with it before") {
  const Xid prepared = next_xid();
  const Xid open = next_xid();
  {
    const auto session = ready_session(shop_url());
    prepare_empty(*session, prepared);
    session->begin(open);
    REQUIRE(session->write_marker(marker_of(open)));
  }
  const auto session = connect(shop_url());
  CHECK(session->commit_prepared(prepared).outcome == FinishOutcome::done);
  CHECK(session->commit_prepared(open).outcome == FinishOutcome::not_found);
  CHECK_FALSE(session->marker_present(open));
}

TEST_CASE("a branch survives kill -9 of the server") {
  PrivatePostgres::Options options;
  options.fsync = true;
  PrivatePostgres server(options);
  server.query("CREATE TABLE t (id bigint PRIMARY KEY)");
  const Xid xid = next_xid();
  const auto session = ready_session(server.url());
  session->begin(xid);
  session->write(id_batch(id_schema("t"), 1, 3));
  REQUIRE(session->write_marker(marker_of(xid, 3)));
  REQUIRE(session->prepare() == "PREPARE TRANSACTION");
  server.kill_9();

  const Error lost = error_of([&] { static_cast<void>(session->commit_prepared(xid)); });
  CHECK(lost.category() == Category::connection);
  CHECK(lost.retryable());
  CHECK_FALSE(lost.details().session_usable);
  CHECK_FALSE(session->usable());
  const Error refused = error_of([&] { connect(server.url()); });
  CHECK(refused.category() == Category::connection);
  CHECK(refused.retryable());

  server.start();
  const auto again = connect(server.url());
  const auto list = again->list_prepared();
  REQUIRE(list.size() == 1);
  CHECK(list[0].xid == xid);
  CHECK(server.value("SELECT count(*) FROM t") == "0");
  CHECK(again->commit_prepared(xid).outcome == FinishOutcome::done);
  CHECK(server.value("SELECT count(*) FROM t") == "3");
}

TEST_CASE("a branch that somebody else is finishing is held, and can be finished later") {
  // A COMMIT PREPARED that waits for a standby which does not exist holds the branch for as long as we like.
  PrivatePostgres::Options options;
  options.settings = {"synchronous_standby_names=nobody", "synchronous_commit=local"};
  PrivatePostgres server(options);
  const auto session = ready_session(server.url());
  const Xid xid = next_xid();
  prepare_empty(*session, xid);

  // The wait comes after the branch is committed, but before its name is released.
  server.query("ALTER ROLE postgres SET synchronous_commit = on");
  std::thread waiting([&] {
    try {
      server.query("COMMIT PREPARED '" + xid.gid() + "'");
    } catch (const std::exception&) {
      // ended by pg_terminate_backend
    }
  });
  const auto watcher = [&] {
    return server.value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  };
  for (int i = 0; i < 1000 && watcher() == "0"; ++i) std::this_thread::sleep_for(5ms);
  REQUIRE(watcher() == "1");
  const auto held = session->commit_prepared(xid);
  CHECK(held.outcome == FinishOutcome::held);
  CHECK_THAT(held.evidence, contains("busy"));
  CHECK(session->rollback_prepared(xid).outcome == FinishOutcome::held);
  server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  waiting.join();
  // Its client saw an error, but the branch is committed: only looking tells.
  CHECK(session->commit_prepared(xid).outcome == FinishOutcome::not_found);
  CHECK(session->marker_present(xid));
}

TEST_CASE("a session that is ended in the second phase throws a lost connection, though the branch is committed") {
  PrivatePostgres::Options options;
  options.settings = {"synchronous_standby_names=nobody", "synchronous_commit=local"};
  PrivatePostgres server(options);
  server.query("CREATE ROLE app LOGIN SUPERUSER");
  const auto preparer = ready_session(server.url("app"));
  const Xid xid = next_xid();
  prepare_empty(*preparer, xid);
  server.query("ALTER ROLE app SET synchronous_commit = on");
  const auto session = connect(server.url("app"));
  std::thread killer([&] {
    const std::string who = " FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    while (server.value("SELECT count(*)" + who) == "0") std::this_thread::sleep_for(5ms);
    server.query("SELECT pg_terminate_backend(pid)" + who);
  });
  const Error lost = error_of([&] { static_cast<void>(session->commit_prepared(xid)); });
  killer.join();
  CHECK(lost.category() == Category::connection);
  CHECK(lost.retryable());
  CHECK(lost.details().xid == xid.gid());
  CHECK_FALSE(session->usable());
  CHECK(preparer->commit_prepared(xid).outcome == FinishOutcome::not_found);
  CHECK(preparer->marker_present(xid));
}

TEST_CASE("a branch of another database can't be finished here, is listed, and says where to go") {
  const auto here = ready_session(shop_url());
  const auto there = ready_session(shared_server().url("app", "other"));
  const Xid xid = next_xid();
  prepare_empty(*there, xid);
  const Error error = error_of([&] { static_cast<void>(here->commit_prepared(xid)); });
  CHECK(error.details().sqlstate == "0A000");
  CHECK_FALSE(error.retryable());
  CHECK_THAT(error.details().hint, contains("database"));
  CHECK(here->usable());
  bool listed = false;
  for (const auto& transaction : here->list_prepared()) {
    if (transaction.xid != xid) continue;
    listed = true;
    CHECK_FALSE(transaction.finishable);
    CHECK(transaction.database == "other");
    CHECK(transaction.owner_role == "app");
    CHECK(transaction.prepared_at.has_value());
    CHECK(std::chrono::system_clock::now() - *transaction.prepared_at < 10min);
  }
  CHECK(listed);
  CHECK(there->rollback_prepared(xid).outcome == FinishOutcome::done);
}

TEST_CASE("a branch of another role can't be finished, except by a superuser") {
  const auto owner = ready_session(shop_url());
  const auto guest = connect(shared_server().url("guest", "shop"));
  const auto superuser = connect(shared_server().url("postgres", "shop"));
  const Xid xid = next_xid();
  prepare_empty(*owner, xid);
  const Error error = error_of([&] { static_cast<void>(guest->commit_prepared(xid)); });
  CHECK(error.details().sqlstate == "42501");
  CHECK_FALSE(error.retryable());
  CHECK_THAT(error.details().hint, contains("role that prepared it"));
  const auto finishable = [&](Session& session) {
    for (const auto& transaction : session.list_prepared()) {
      if (transaction.xid == xid) return transaction.finishable;
    }
    FAIL("not listed");
    return false;
  };
  CHECK_FALSE(finishable(*guest));
  CHECK(finishable(*owner));
  CHECK(finishable(*superuser));
  CHECK(superuser->commit_prepared(xid).outcome == FinishOutcome::done);
}

TEST_CASE("foreign prepared transactions are listed without an xid of ours") {
  shop_query("BEGIN; PREPARE TRANSACTION 'somebody''s'");
  const auto session = connect(shop_url());
  bool listed = false;
  for (const auto& transaction : session->list_prepared()) {
    if (transaction.gid == "somebody's") {
      listed = true;
      CHECK_FALSE(transaction.xid.has_value());
    }
  }
  CHECK(listed);
  shop_query("ROLLBACK PREPARED 'somebody''s'");
}

TEST_CASE("full slots are a lack of resources with the remedy; a switched-off feature is refused with its own") {
  PrivatePostgres::Options options;
  options.settings = {"max_prepared_transactions=1"};
  PrivatePostgres server(options);
  const auto session = ready_session(server.url());
  const Xid first = next_xid();
  prepare_empty(*session, first);
  const Xid second = next_xid();
  session->begin(second);
  REQUIRE(session->write_marker(marker_of(second)));
  const Error full = error_of([&] { static_cast<void>(session->prepare()); });
  CHECK(full.category() == Category::resources);
  CHECK(full.retryable());
  CHECK(full.details().sqlstate == "53200");
  CHECK_THAT(full.details().hint, contains("max_prepared_transactions"));
  session->rollback();
  CHECK(session->commit_prepared(first).outcome == FinishOutcome::done);

  server.stop();
  server.start({"max_prepared_transactions=0"});
  const auto later = connect(server.url());
  later->begin(second);
  REQUIRE(later->write_marker(marker_of(second)));
  const Error off = error_of([&] { static_cast<void>(later->prepare()); });
  CHECK(off.category() == Category::preflight);
  CHECK_FALSE(off.retryable());
  CHECK(off.details().sqlstate == "55000");
  CHECK_THAT(off.details().hint, contains("protocol: staged"));
  later->rollback();
  CHECK(later->usable());
}

TEST_CASE("the longest name of ours is below the length at which the server refuses one") {
  const Xid longest{.job = std::string(24, 'j'),
                    .owner = "abcdefghij",
                    .epoch = ~std::uint64_t{0},
                    .writer = ~std::uint32_t{0},
                    .checkpoint = ~std::uint64_t{0},
                    .part = ~std::uint32_t{0}};
  CHECK(longest.gid().size() < 200);
  CHECK_THROWS_WITH(shop_query("BEGIN; PREPARE TRANSACTION '" + std::string(200, 'x') + "'"), contains("too long"));
  shop_query("BEGIN; PREPARE TRANSACTION '" + longest.gid() + "'");
  shop_query("ROLLBACK PREPARED '" + longest.gid() + "'");
}
