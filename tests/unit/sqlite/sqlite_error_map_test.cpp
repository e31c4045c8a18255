#include <sqlite3.h>

#include "drivers/sqlite/error_map.hpp"
#include "tests/support/catch.hpp"

using namespace xasink;

TEST_CASE("SQLite's result codes say what to do next") {
  struct Row {
    int code;
    Category category;
    bool retryable;
    bool session_usable;
  };
  const auto row = GENERATE(values<Row>({
      {SQLITE_BUSY, Category::contention, true, true},
      {SQLITE_BUSY_RECOVERY, Category::contention, true, true},
      {SQLITE_BUSY_SNAPSHOT, Category::contention, true, true},
      {SQLITE_LOCKED, Category::contention, true, true},
      {SQLITE_LOCKED_SHAREDCACHE, Category::contention, true, true},
      {SQLITE_SCHEMA, Category::contention, true, true},
      {SQLITE_INTERRUPT, Category::contention, true, true},
      {SQLITE_FULL, Category::resources, false, true},
      {SQLITE_NOMEM, Category::resources, false, false},
      {SQLITE_IOERR_NOMEM, Category::resources, false, false},
      {SQLITE_IOERR, Category::io, false, false},
      {SQLITE_IOERR_FSYNC, Category::io, false, false},
      {SQLITE_IOERR_WRITE, Category::io, false, false},
      {SQLITE_PROTOCOL, Category::io, false, false},
      {SQLITE_READONLY_DBMOVED, Category::io, false, false},
      {SQLITE_CORRUPT, Category::corrupt, false, false},
      {SQLITE_CORRUPT_VTAB, Category::corrupt, false, false},
      {SQLITE_NOTADB, Category::corrupt, false, false},
      {SQLITE_CONSTRAINT, Category::data, false, true},
      {SQLITE_CONSTRAINT_UNIQUE, Category::data, false, true},
      {SQLITE_CONSTRAINT_PRIMARYKEY, Category::data, false, true},
      {SQLITE_CONSTRAINT_NOTNULL, Category::data, false, true},
      {SQLITE_CONSTRAINT_CHECK, Category::data, false, true},
      {SQLITE_CONSTRAINT_FOREIGNKEY, Category::data, false, true},
      {SQLITE_CONSTRAINT_TRIGGER, Category::data, false, true},
      {SQLITE_MISMATCH, Category::data, false, true},
      {SQLITE_TOOBIG, Category::data, false, true},
      {SQLITE_READONLY, Category::configuration, false, false},
      {SQLITE_READONLY_DIRECTORY, Category::configuration, false, false},
      {SQLITE_CANTOPEN, Category::configuration, false, false},
      {SQLITE_CANTOPEN_ISDIR, Category::configuration, false, false},
      {SQLITE_PERM, Category::configuration, false, false},
      {SQLITE_AUTH, Category::configuration, false, false},
      {SQLITE_MISUSE, Category::internal, false, false},
      {SQLITE_RANGE, Category::internal, false, false},
      {SQLITE_ERROR, Category::server, false, true},
      {99, Category::server, false, true},
  }));
  const ErrorDetails details = sqlite::classify(row.code);
  INFO("code " << row.code);
  CHECK(details.category == row.category);
  CHECK(details.retryable == row.retryable);
  CHECK(details.session_usable == row.session_usable);
  CHECK(details.vendor_code == row.code);
  CHECK_FALSE(details.branch_usable);
}
