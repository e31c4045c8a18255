#include "drivers/postgresql/error_map.hpp"
#include "tests/support/catch.hpp"

using namespace xasink;
using postgresql::map_connect_error;
using postgresql::map_error;
using postgresql::ServerError;
using xasink::test::contains;

namespace {

ServerError server_error(const std::string& sqlstate, const std::string& message = "", const std::string& source = "") {
  ServerError error;
  error.sqlstate = sqlstate;
  error.message = message;
  error.source = source;
  return error;
}

}  // namespace

TEST_CASE("each SQLSTATE has its category, its answers and its hint") {
  struct Case {
    const char* sqlstate;
    const char* message;
    const char* source;
    Category category;
    bool retryable;
    bool session_usable;
    const char* hint;
  };
  const Case cases[] = {
      {"40001", "", "", Category::contention, true, true, ""},
      {"40P01", "", "", Category::contention, true, true, ""},
      {"55P03", "", "", Category::contention, true, true, ""},
      {"57014", "", "", Category::contention, true, true, ""},
      {"57P01", "", "", Category::connection, true, false, ""},
      {"57P02", "", "", Category::connection, true, false, ""},
      {"57P03", "", "", Category::connection, true, false, ""},
      {"57P05", "", "", Category::connection, true, false, ""},
      {"25P03", "", "", Category::connection, true, false, "timeout"},
      {"08006", "", "", Category::connection, true, false, ""},
      {"08P01", "", "", Category::connection, true, false, ""},
      {"53100", "", "", Category::resources, true, true, "disk"},
      {"53200", "out of memory", "AllocSetAlloc", Category::resources, true, true, ""},
      {"53200", "maximum number of prepared transactions reached", "", Category::resources, true, true,
       "max_prepared_transactions"},
      {"53200", "in another language", "MarkAsPreparing", Category::resources, true, true, "max_prepared_transactions"},
      {"53300", "", "", Category::resources, true, true, "max_connections"},
      {"55000", "prepared transactions are disabled", "", Category::preflight, false, true, "protocol: staged"},
      {"55000", "in another language", "MarkAsPreparing", Category::preflight, false, true, "protocol: staged"},
      {"55000", "prepared transaction with identifier \"x\" is busy", "", Category::contention, true, true, ""},
      {"55000", "in another language", "LockGXact", Category::contention, true, true, ""},
      {"55000", "something else", "", Category::server, false, true, ""},
      {"28P01", "", "", Category::configuration, false, false, "password"},
      {"28000", "", "", Category::configuration, false, false, "password"},
      {"3D000", "", "", Category::configuration, false, false, "database"},
      {"42P01", "", "", Category::preflight, false, true, "create"},
      {"42501", "permission denied for table t", "aclcheck_error", Category::preflight, false, true, "GRANT"},
      {"42501", "permission denied to finish prepared transaction", "LockGXact", Category::preflight, false, true,
       "role that prepared it"},
      {"42703", "", "", Category::preflight, false, true, "columns"},
      {"42710", "", "", Category::server, false, true, "xasink list"},
      {"0A000", "prepared transaction belongs to another database", "LockGXact", Category::preflight, false, true,
       "database"},
      {"0A000", "cannot PREPARE a transaction that has operated on temporary objects", "", Category::server, false,
       true, ""},
      {"22003", "", "", Category::data, false, true, ""},
      {"22021", "", "", Category::data, false, true, ""},
      {"23505", "", "", Category::data, false, true, ""},
      {"23502", "", "", Category::data, false, true, ""},
      {"25006", "", "", Category::server, true, true, "read-only"},
      {"XX000", "", "", Category::server, false, true, ""},
      {"", "libpq has no memory", "", Category::server, true, false, ""},
  };
  for (const Case& c : cases) {
    INFO(c.sqlstate << " " << c.message << " " << c.source);
    const ErrorDetails details = map_error(server_error(c.sqlstate, c.message, c.source));
    CHECK(details.category == c.category);
    CHECK(details.retryable == c.retryable);
    CHECK(details.session_usable == c.session_usable);
    CHECK_FALSE(details.branch_usable);
    CHECK(details.sqlstate == c.sqlstate);
    CHECK_THAT(details.hint, contains(c.hint));
  }
}

TEST_CASE("a lost connection is a lost connection whatever the last words were") {
  for (const char* sqlstate : {"", "23505", "57P01", "XX000"}) {
    auto error = server_error(sqlstate);
    error.connection_ok = false;
    const ErrorDetails details = map_error(error);
    CHECK(details.category == Category::connection);
    CHECK(details.retryable);
    CHECK_FALSE(details.session_usable);
  }
}

TEST_CASE("the server's own hint is passed on where we have none") {
  auto error = server_error("XX000");
  error.hint = "try harder";
  CHECK(map_error(error).hint == "try harder");
}

TEST_CASE("busy and switched off are told apart though they share a SQLSTATE") {
  CHECK(postgresql::is_busy(server_error("55000", "", "LockGXact")));
  CHECK_FALSE(postgresql::is_busy(server_error("55000", "", "MarkAsPreparing")));
  CHECK_FALSE(postgresql::is_busy(server_error("42704", "", "LockGXact")));
  CHECK(postgresql::two_phase_is_off(server_error("55000", "", "MarkAsPreparing")));
  CHECK_FALSE(postgresql::two_phase_is_off(server_error("53200", "", "MarkAsPreparing")));
}

TEST_CASE("a connection that can't be opened is sorted by the server's words") {
  struct Case {
    const char* message;
    bool needs_password;
    Category category;
    bool retryable;
  };
  const Case cases[] = {
      {"connection to server at \"db\", port 5432 failed: Connection refused", false, Category::connection, true},
      {"could not translate host name \"db\" to address: Name or service not known", false, Category::connection, true},
      {"connection to server failed: timeout expired", false, Category::connection, true},
      {"server closed the connection unexpectedly", false, Category::connection, true},
      {"FATAL:  the database system is starting up", false, Category::connection, true},
      {"FATAL:  password authentication failed for user \"app\"", false, Category::configuration, false},
      {"fe_sendauth: no password supplied", true, Category::configuration, false},
      {"FATAL:  no pg_hba.conf entry for host \"10.0.0.1\"", false, Category::configuration, false},
      {"FATAL:  role \"app\" does not exist", false, Category::configuration, false},
      {"FATAL:  database \"shop\" does not exist", false, Category::configuration, false},
      {"connection to server on socket \"/x\" failed: No such file or directory", false, Category::connection, true},
      {"FATAL:  role \"app\" is not permitted to log in", false, Category::configuration, false},
      {"server does not support SSL, but SSL was required", false, Category::configuration, false},
      {"SSL error: certificate verify failed", false, Category::configuration, false},
      {"invalid sslmode value: \"x\"", false, Category::configuration, false},
      {"FATAL:  sorry, too many clients already", false, Category::resources, true},
      {"FATAL:  remaining connection slots are reserved for non-replication superuser connections", false,
       Category::resources, true},
      {"FATAL:  too many connections for role \"app\"", false, Category::resources, true},
  };
  for (const Case& c : cases) {
    INFO(c.message);
    const ErrorDetails details = map_connect_error(c.message, c.needs_password);
    CHECK(details.category == c.category);
    CHECK(details.retryable == c.retryable);
    CHECK_FALSE(details.session_usable);
  }
}

TEST_CASE("an error is one line") {
  ServerError error;
  error.message = "connection failed\n\tIs the server running?\n";
  CHECK(postgresql::in_one_line(error) == "connection failed Is the server running?");
  error.message = "duplicate key";
  error.detail = "Key (id)=(1) already exists.";
  CHECK(postgresql::in_one_line(error) == "duplicate key (Key (id)=(1) already exists.)");
}
