#include "drivers/postgresql/bulk_writer.hpp"
#include "drivers/postgresql/dialect.hpp"
#include "drivers/postgresql/row_trail.hpp"
#include "tests/support/catch.hpp"

using namespace xasink;
using namespace xasink::postgresql;

TEST_CASE("names and texts are quoted so that nothing gets out of the quotes") {
  CHECK(quote_identifier("Odd \"Name\"") == "\"Odd \"\"Name\"\"\"");
  CHECK(quote_literal("it's") == "'it''s'");
  CHECK(quote_literal("a\\'b") == "E'a\\\\''b'");
}

TEST_CASE("every kind of column has a type that holds all its values") {
  CHECK(sql_type({.kind = TypeKind::uint8}) == "smallint");
  CHECK(sql_type({.kind = TypeKind::uint16}) == "integer");
  CHECK(sql_type({.kind = TypeKind::uint32}) == "bigint");
  CHECK(sql_type({.kind = TypeKind::uint64}) == "numeric(20,0)");
  CHECK(sql_type({.kind = TypeKind::decimal, .precision = 12, .scale = 2}) == "numeric(12,2)");
  CHECK(sql_type({.kind = TypeKind::decimal}) == "numeric");
  CHECK(sql_type({.kind = TypeKind::text, .max_length = 10}) == "varchar(10)");
  CHECK(sql_type({.kind = TypeKind::text}) == "text");
  CHECK(sql_type({.kind = TypeKind::json}) == "json");
}

TEST_CASE("a table is created with quoted columns and its primary key") {
  const TableSchema schema{"t", {{"id", {.kind = TypeKind::int64}, false}, {"Select", {.kind = TypeKind::text}, true}}};
  CHECK(create_table_sql("public.t", schema, {"id"}) ==
        "CREATE TABLE IF NOT EXISTS public.t (\"id\" bigint NOT NULL, \"Select\" text, PRIMARY KEY (\"id\"))");
  CHECK(create_table_sql("t", schema, {}) == "CREATE TABLE IF NOT EXISTS t (\"id\" bigint NOT NULL, \"Select\" text)");
}

TEST_CASE("the place of a COPY error is found in any language and for odd names") {
  const auto at = [](const char* context, const char* table) { return copy_place(context, table); };
  CHECK(at("COPY orders, line 3, column id", "orders")->row == 3);
  CHECK(at("COPY orders, line 3, column id", "orders")->column == "id");
  CHECK(at("COPY orders, line 12", "orders")->row == 12);
  CHECK(at("COPY orders, line 12", "orders")->column.empty());
  CHECK(at("COPY orders, Zeile 7, Spalte Name 2", "orders")->row == 7);
  CHECK(at("COPY orders, Zeile 7, Spalte Name 2", "orders")->column == "Name 2");
  CHECK(at("COPY a, b 1, line 2", "a, b 1")->row == 2);
  CHECK(at("PL/pgSQL function f() line 9 at RAISE\nCOPY orders, line 4", "orders")->row == 4);
  CHECK_FALSE(at("SQL statement \"SELECT 1\"", "orders"));
  CHECK_FALSE(at("COPY other, line 3", "orders"));
  CHECK_FALSE(at("", "orders"));
}

namespace {

RowBatch batch_of(const std::shared_ptr<const TableSchema>& schema, const char* file,
                  std::initializer_list<std::uint64_t> lines) {
  RowBatch batch(schema);
  if (file != nullptr) batch.set_file(std::make_shared<const std::string>(file));
  for (const std::uint64_t line : lines) {
    batch.append_int(1);
    batch.end_row(line);
  }
  return batch;
}

}  // namespace

TEST_CASE("a row's file and line are found again over batches, gaps and files") {
  const auto schema = std::make_shared<const TableSchema>(TableSchema{"t", {{"id", {.kind = TypeKind::int64}, false}}});
  RowTrail trail;
  trail.add(batch_of(schema, "a.csv", {2, 3, 4}));
  trail.add(batch_of(schema, "a.csv", {7, 8}));
  trail.add(batch_of(schema, "b.csv", {9}));
  trail.add(batch_of(schema, nullptr, {0, 0, 0}));
  CHECK(trail.find(0).line == 2);
  CHECK(trail.find(2).line == 4);
  CHECK(trail.find(3).line == 7);
  CHECK(*trail.find(4).file == "a.csv");
  CHECK(*trail.find(5).file == "b.csv");
  CHECK(trail.find(5).line == 9);
  CHECK(trail.find(8).line == 0);
  CHECK(trail.find(8).file == nullptr);
  CHECK(trail.find(9).line == 0);
}

TEST_CASE("a trail that gets too long forgets its beginning and nothing else") {
  const auto schema = std::make_shared<const TableSchema>(TableSchema{"t", {{"id", {.kind = TypeKind::int64}, false}}});
  RowTrail trail(2);
  trail.add(batch_of(schema, "a.csv", {1, 10, 20}));
  CHECK(trail.find(0).file == nullptr);
  CHECK(trail.find(1).line == 10);
  CHECK(trail.find(2).line == 20);
}
