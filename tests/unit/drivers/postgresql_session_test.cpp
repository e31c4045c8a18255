// The order of calls, bookkeeping, and what the session is set to.
#include <thread>

#include "tests/unit/drivers/postgresql_fixture.hpp"

using namespace xasink;
using namespace xasink::test;

TEST_CASE("calls in the wrong order are refused by name and change nothing") {
  shop_query("CREATE TABLE IF NOT EXISTS ordered (id bigint); GRANT ALL ON ordered TO app");
  const auto session = ready_session(shop_url());
  const auto schema = id_schema("ordered");
  const auto usage = [](const std::function<void()>& call) {
    const Error error = error_of(call);
    CHECK(error.category() == Category::usage);
    CHECK(error.details().session_usable);
    return std::string(error.what());
  };
  const Xid xid = next_xid();
  CHECK_THAT(usage([&] { session->write(id_batch(schema, 1, 1)); }),
             contains("write") && contains("no branch is open"));
  CHECK_THAT(usage([&] { static_cast<void>(session->prepare()); }), contains("no branch is open"));
  CHECK_THAT(usage([&] { session->commit(); }), contains("no branch is open"));
  session->begin(xid);
  CHECK_THAT(usage([&] { session->begin(xid); }), contains("begin") && contains("open"));
  CHECK_THAT(usage([&] { static_cast<void>(session->prepare()); }), contains("no marker"));
  CHECK_THAT(usage([&] { static_cast<void>(session->commit_prepared(xid)); }), contains("COMMIT PREPARED"));
  CHECK_THAT(usage([&] { static_cast<void>(session->list_prepared()); }), contains("list_prepared"));
  session->write(id_batch(schema, 1, 2));
  REQUIRE(session->write_marker(marker_of(xid, 2)));
  CHECK_THAT(usage([&] { session->write(id_batch(schema, 1, 1)); }), contains("has its marker"));
  CHECK_THAT(usage([&] { static_cast<void>(session->write_marker(marker_of(xid))); }), contains("write_marker"));
  session->commit();
  CHECK(session->marker_present(xid));
  CHECK(shop_value("SELECT count(*) FROM ordered") == "2");
}

TEST_CASE("the marker of another branch is refused and poisons the branch") {
  const auto session = ready_session(shop_url());
  session->begin(next_xid());
  CHECK_THROWS_AS(static_cast<void>(session->write_marker(marker_of(next_xid()))), Error);
  CHECK_THROWS_WITH(session->commit(), contains("poisoned"));
  session->rollback();
  CHECK(session->usable());
}

TEST_CASE("a second marker of the same branch is told and changes nothing") {
  const auto session = ready_session(shop_url());
  const Xid xid = next_xid();
  session->begin(xid);
  CHECK(session->write_marker({.xid = xid, .rows = 0, .bytes = 80}));
  session->commit();
  session->begin(xid);
  CHECK_FALSE(session->write_marker({.xid = xid, .rows = 0, .bytes = 96}));
  CHECK_THROWS_AS(session->commit(), Error);  // rows whose marker is there already are there already, too
  session->rollback();
  CHECK(shop_query("SELECT job, epoch, writer, part, rows, bytes FROM xasink_markers WHERE checkpoint = " +
                   std::to_string(xid.checkpoint)) == PrivatePostgres::Rows{{"shop", "1", "0", "0", "0", "80"}});
}

TEST_CASE("rollback in any state gives a session that works") {
  shop_query("CREATE TABLE IF NOT EXISTS undone (id bigint); GRANT ALL ON undone TO app");
  const auto session = ready_session(shop_url());
  session->rollback();  // nothing open
  session->begin(next_xid());
  session->rollback();
  session->begin(next_xid());
  session->write(id_batch(id_schema("undone"), 1, 50'000));  // in the middle of COPY
  session->rollback();
  REQUIRE(session->usable());
  const Xid xid = next_xid();
  session->begin(xid);
  session->write(id_batch(id_schema("undone"), 7, 1));
  REQUIRE(session->write_marker(marker_of(xid, 1)));
  session->commit();
  CHECK(shop_value("SELECT string_agg(id::text, ',') FROM undone") == "7");
}

TEST_CASE("the bookkeeping tables are made once by many at the same time") {
  shared_server().query("CREATE DATABASE crowd OWNER app");
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      try {
        connect(shared_server().url("app", "crowd"))->ensure_bookkeeping();
      } catch (const std::exception&) {
        ++failures;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK(shared_server().value("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'xasink%'", "crowd") == "2");
}

TEST_CASE("a role that may not create gets the grant told, and needs none once the tables exist") {
  shared_server().query("CREATE DATABASE strict OWNER app");
  const auto guest = connect(shared_server().url("guest", "strict"));
  const Error refused = error_of([&] { guest->ensure_bookkeeping(); });
  CHECK(refused.category() == Category::preflight);
  CHECK_THAT(refused.details().hint, contains("GRANT CREATE ON SCHEMA \"public\""));
  CHECK(guest->usable());
  connect(shared_server().url("app", "strict"))->ensure_bookkeeping();
  guest->ensure_bookkeeping();
  const Error denied = error_of([&] { static_cast<void>(guest->marker_present(next_xid())); });
  CHECK(denied.category() == Category::preflight);
}

TEST_CASE("the epoch kept at the target only rises") {
  const auto session = ready_session(shop_url());
  CHECK(session->raise_epoch("shop", "epochepoch", 3) == 3);
  CHECK(session->raise_epoch("shop", "epochepoch", 2) == 3);
  CHECK(session->raise_epoch("shop", "epochepoch", 3) == 3);
  CHECK(session->raise_epoch("shop", "epochepoch", 9) == 9);
  CHECK(session->raise_epoch("shop", "otherother", 1) == 1);
  CHECK(session->raise_epoch("other", "epochepoch", 1) == 1);
  CHECK_THROWS_AS(static_cast<void>(session->raise_epoch("shop", "epochepoch", std::uint64_t{1} << 63)), Error);
}

TEST_CASE("markers are pruned by owner up to a checkpoint and no further") {
  const auto session = ready_session(shop_url());
  for (const char* owner : {"pruneprune", "keepkeepke"}) {
    for (std::uint64_t checkpoint = 1; checkpoint <= 4; ++checkpoint) {
      const Xid xid{.job = "shop", .owner = owner, .epoch = 1, .writer = 0, .checkpoint = checkpoint, .part = 0};
      session->begin(xid);
      REQUIRE(session->write_marker(marker_of(xid)));
      session->commit();
    }
  }
  CHECK(session->prune_markers("pruneprune", 3) == 3);
  CHECK(session->prune_markers("pruneprune", 3) == 0);
  CHECK(shop_value("SELECT count(*) FROM xasink_markers WHERE owner = 'pruneprune'") == "1");
  CHECK(shop_value("SELECT count(*) FROM xasink_markers WHERE owner = 'keepkeepke'") == "4");
}

TEST_CASE("settings of the role that would end or change a branch are overruled, lock_timeout is not") {
  shared_server().query("CREATE ROLE slow LOGIN SUPERUSER");
  for (const char* setting : {"statement_timeout = '50ms'", "idle_in_transaction_session_timeout = '50ms'",
                              "idle_session_timeout = '50ms'", "synchronous_commit = off", "lock_timeout = '123ms'",
                              "default_transaction_isolation = 'serializable'", "DateStyle = 'SQL, DMY'"}) {
    shared_server().query("ALTER ROLE slow SET " + std::string(setting));
  }
  shop_query(
      "CREATE TABLE IF NOT EXISTS slow_rows (id bigint, at text DEFAULT current_setting('lock_timeout') || ' ' || "
      "current_setting('synchronous_commit') || ' ' || current_setting('transaction_isolation'))");
  const auto session = ready_session(shared_server().url("slow", "shop"));
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  const Xid xid = next_xid();
  session->begin(xid);
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  session->write(id_batch(id_schema("slow_rows"), 1, 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  REQUIRE(session->write_marker(marker_of(xid, 1)));
  session->commit();
  CHECK(shop_value("SELECT at FROM slow_rows") == "123ms on read committed");
}

TEST_CASE("an account or database that is refused is a matter of configuration, without the password in the message") {
  const auto refused = [](const std::string& url) {
    const Error error = error_of([&] { connect(url); });
    CHECK(error.category() == Category::configuration);
    CHECK_FALSE(error.retryable());
    CHECK_FALSE(error.details().hint.empty());
    CHECK_THAT(std::string(error.what()) + error.details().hint, !contains("wrong66"));
    const Error again = error_of([&] { make_postgresql_driver()->open_catalog(url); });
    CHECK(again.category() == Category::configuration);
    CHECK_THAT(std::string(again.what()) + again.details().hint, !contains("wrong66"));
  };
  const std::string port = std::to_string(shared_server().port());
  refused("postgresql://locked:wrong66@127.0.0.1:" + port + "/shop");
  refused("postgresql://locked@127.0.0.1:" + port + "/shop");
  refused("postgresql://nobody_here@127.0.0.1:" + port + "/shop");
  refused("postgresql://app:wrong66@127.0.0.1:" + port + "/nowhere");
  CHECK(connect("postgresql://locked:secret77@127.0.0.1:" + port + "/shop")->usable());
}
