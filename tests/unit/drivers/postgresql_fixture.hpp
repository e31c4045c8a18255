// One private server for all tests of the program, and small makers of what they send.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "drivers/postgresql/driver.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/private_postgres.hpp"
#include "xasink/driver.hpp"
#include "xasink/error.hpp"

namespace xasink::test {

/// Shared by the tests that don't break it. Roles `app` (owner of database `shop`), `guest` (may only connect) and
/// `locked` (needs the password `secret77`).
inline const PrivatePostgres& shared_server() {
  static const auto kServer = [] {
    PrivatePostgres::Options options;
    options.access = {"host all locked 127.0.0.1/32 scram-sha-256"};
    auto server = std::make_unique<PrivatePostgres>(options);
    server->query("CREATE ROLE app LOGIN");
    server->query("CREATE ROLE guest LOGIN");
    server->query("CREATE ROLE locked LOGIN PASSWORD 'secret77'");
    server->query("CREATE DATABASE shop OWNER app");
    server->query("CREATE DATABASE other OWNER app");
    return server;
  }();
  return *kServer;
}

inline std::string shop_url() { return shared_server().url("app", "shop"); }
inline std::string shop_value(const std::string& sql) { return shared_server().value(sql, "shop"); }
inline PrivatePostgres::Rows shop_query(const std::string& sql) { return shared_server().query(sql, "shop"); }

inline std::unique_ptr<Session> connect(const std::string& url) { return make_postgresql_driver()->connect(url); }
/// A session with bookkeeping tables.
inline std::unique_ptr<Session> ready_session(const std::string& url) {
  auto session = connect(url);
  session->ensure_bookkeeping();
  return session;
}

/// A fresh name each time.
inline Xid next_xid() {
  static std::atomic<std::uint64_t> checkpoint{0};
  return {.job = "shop", .owner = "abcdefghij", .epoch = 1, .writer = 0, .checkpoint = ++checkpoint, .part = 0};
}

using Schema = std::shared_ptr<const TableSchema>;
inline Schema id_schema(const std::string& table) {
  return std::make_shared<const TableSchema>(TableSchema{table, {{"id", {.kind = TypeKind::int64}, false}}});
}

/// Rows with the ids first, first + 1, …, from lines 2, 3, … of `file`.
inline RowBatch id_batch(const Schema& schema, std::int64_t first, std::int64_t count,
                         const std::string& file = "ids.csv", std::uint64_t first_line = 2) {
  RowBatch batch(schema);
  batch.set_file(std::make_shared<const std::string>(file));
  for (std::int64_t i = 0; i < count; ++i) {
    batch.append_int(first + i);
    batch.end_row(first_line + static_cast<std::uint64_t>(i));
  }
  return batch;
}

inline Marker marker_of(const Xid& xid, std::uint64_t rows = 0) {
  return {.xid = xid, .rows = rows, .bytes = rows * 16};
}

/// Begins a branch and takes it to the prepared state without rows in a table of the test's.
inline void prepare_empty(Session& session, const Xid& xid) {
  session.begin(xid);
  REQUIRE(session.write_marker(marker_of(xid)));
  REQUIRE(session.prepare() == "PREPARE TRANSACTION");
}

inline bool prepared_at(const PrivatePostgres& server, const Xid& xid) {
  return server.value("SELECT count(*) FROM pg_prepared_xacts WHERE gid = '" + xid.gid() + "'") == "1";
}

/// The error a call throws; fails the test if it throws none.
inline Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error was thrown");
  throw std::logic_error("unreachable");
}

inline DataError data_error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const DataError& error) {
    return error;
  } catch (const Error& error) {
    FAIL("not a DataError: " << error.what());
  }
  FAIL("no error was thrown");
  throw std::logic_error("unreachable");
}

}  // namespace xasink::test
