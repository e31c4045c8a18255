#include <unistd.h>

#include <fstream>

#include "tests/unit/sqlite/sqlite_fixture.hpp"

using namespace xasink;
using xasink::test::contains;
using xasink::test::error_of;
using xasink::test::SqliteFixture;

namespace {

const TableSchema orders{"orders",
                         {{"id", {TypeKind::int64}, false},
                          {"price", {TypeKind::decimal, 12, 2}, true},
                          {"at", {TypeKind::timestamptz}, false},
                          {"doc", {TypeKind::json}, true}}};

}  // namespace

TEST_CASE_METHOD(SqliteFixture, "a table made from a schema is described as that schema, and its key is the row id") {
  const auto catalog = driver->open_catalog(url);
  CHECK_FALSE(catalog->describe("orders"));
  CHECK_FALSE(std::filesystem::exists(file));
  catalog->create_table(orders, {"id"});
  CHECK(catalog->describe("orders") == orders);
  catalog->create_table(orders, {"id"});  // once more changes nothing
  CHECK(value("PRAGMA journal_mode") == "wal");
  sql("INSERT INTO orders (id, at) VALUES (7, '2024-01-01 00:00:00')");
  CHECK(value("SELECT rowid FROM orders") == "7");
  CHECK(sql("PRAGMA index_list(orders)").empty());
}

TEST_CASE_METHOD(SqliteFixture, "a key of several columns or of another type is a key, and not null") {
  TableSchema schema = orders;
  schema.columns[1].nullable = false;
  driver->open_catalog(url)->create_table(schema, {"price", "id"});
  CHECK(*describe("orders") == schema);
  sql("INSERT INTO orders (id, price, at) VALUES (1, '1.00', 'x')");
  CHECK_THROWS_WITH(sql("INSERT INTO orders (id, price, at) VALUES (1, '1.00', 'y')"), contains("UNIQUE"));
}

TEST_CASE_METHOD(SqliteFixture, "the journal mode of a database that exists is left alone") {
  sql("PRAGMA journal_mode=DELETE; CREATE TABLE other (a)");
  driver->open_catalog(url)->create_table(orders, {"id"});
  CHECK(value("PRAGMA journal_mode") == "delete");
}

TEST_CASE_METHOD(SqliteFixture, "generated and hidden columns are left out, keys and NOT NULL are seen") {
  sql("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT, c TEXT AS (a || b), d INT AS (1) STORED)");
  const auto schema = describe();
  REQUIRE(schema->columns.size() == 3);
  CHECK(schema->columns[0] == Column{"id", {TypeKind::int64}, false});
  CHECK(schema->columns[1] == Column{"a", {TypeKind::text}, false});
  CHECK(schema->columns[2] == Column{"b", {TypeKind::text}, true});
}

TEST_CASE_METHOD(SqliteFixture, "STRICT tables are described by their six types") {
  sql("CREATE TABLE t (a INT, b INTEGER, c REAL, d TEXT, e BLOB, f ANY) STRICT");
  const auto schema = describe();
  const std::vector<TypeKind> kinds{TypeKind::int64, TypeKind::int64, TypeKind::float64,
                                    TypeKind::text,  TypeKind::bytes, TypeKind::text};
  REQUIRE(schema->columns.size() == kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) CHECK(schema->columns[i].type.kind == kinds[i]);
}

TEST_CASE_METHOD(SqliteFixture, "a view is refused as a target") {
  sql("CREATE TABLE u (a); CREATE VIEW t AS SELECT a FROM u");
  const Error error = error_of([&] { describe(); });
  CHECK(error.category() == Category::preflight);
  CHECK_THAT(error.what(), contains("view"));
}

TEST_CASE_METHOD(SqliteFixture, "two-phase commit is off, with the reason and the remedy") {
  const Capabilities capabilities = driver->open_catalog(url)->capabilities();
  CHECK_FALSE(capabilities.two_phase);
  CHECK_THAT(capabilities.two_phase_reason, contains("staged"));
  CHECK(capabilities.bulk_path == "prepared INSERT");
  CHECK(driver->default_protocol() == Protocol::staged);
}

TEST_CASE_METHOD(SqliteFixture, "a missing folder, a missing file, a folder and a file of something else each say so") {
  const auto deep = "sqlite://" + (temp.path() / "none" / "shop.db").string();
  const Error folder = error_of([&] { static_cast<void>(driver->connect(deep)); });
  CHECK(folder.category() == Category::configuration);
  CHECK_THAT(folder.what(), contains("folder " + (temp.path() / "none").string() + " is missing"));
  CHECK(error_of([&] { driver->open_catalog(deep)->create_table(orders, {}); }).category() == Category::configuration);
  CHECK(error_of([&] { static_cast<void>(driver->open_catalog(deep)->describe("t")); }).category() ==
        Category::configuration);

  const Error missing = error_of([&] { static_cast<void>(driver->connect(url)); });
  CHECK(missing.category() == Category::preflight);
  CHECK_THAT(missing.what(), contains("no such database file"));
  CHECK_FALSE(std::filesystem::exists(file));

  const Error is_folder = error_of([&] { static_cast<void>(driver->connect("sqlite://" + temp.path().string())); });
  CHECK(is_folder.category() == Category::configuration);

  std::ofstream(file) << std::string(4096, 'x');
  const Error rubbish = error_of([&] { static_cast<void>(driver->connect(url)); });
  CHECK(rubbish.category() == Category::corrupt);
  CHECK_THAT(rubbish.what(), contains(file.string()));
}

TEST_CASE_METHOD(SqliteFixture, "a file this user may not write is refused before any row is sent") {
  sql("CREATE TABLE t (a)");
  std::filesystem::permissions(temp.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(file, std::filesystem::perms(0444));
  // Rights don't bind root.
  const bool root = ::geteuid() == 0;
  if (root) REQUIRE(::seteuid(65534) == 0);
  std::optional<Error> error;
  try {
    static_cast<void>(driver->connect(url));
  } catch (const Error& thrown) {
    error = thrown;
  }
  if (root) REQUIRE(::seteuid(0) == 0);
  REQUIRE(error);
  CHECK(error->category() == Category::configuration);
  CHECK_THAT(error->what(), contains("read-only"));
}
