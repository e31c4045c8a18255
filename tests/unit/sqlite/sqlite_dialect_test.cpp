#include "drivers/sqlite/dialect.hpp"
#include "drivers/sqlite/location.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"
#include "xasink/error.hpp"

using namespace xasink;
using namespace xasink::sqlite;
using xasink::test::contains;

TEST_CASE("a declared type has the affinity that SQLite gives it") {
  struct Row {
    const char* declared;
    Affinity affinity;
  };
  const auto row = GENERATE(values<Row>({{"INTEGER", Affinity::integer},
                                         {"unsigned big int", Affinity::integer},
                                         {"FLOATING POINT", Affinity::integer},
                                         {"CHARINT", Affinity::integer},
                                         {"VARCHAR(10)", Affinity::text},
                                         {"clob", Affinity::text},
                                         {"decimal_text(12,2)", Affinity::text},
                                         {"json_text", Affinity::text},
                                         {"BLOB", Affinity::none},
                                         {"", Affinity::none},
                                         {"DOUBLE PRECISION", Affinity::real},
                                         {"float32", Affinity::real},
                                         {"STRING", Affinity::numeric},
                                         {"timestamptz", Affinity::numeric},
                                         {"ANY", Affinity::numeric}}));
  INFO(row.declared);
  CHECK(affinity_of(row.declared, false) == row.affinity);
}

TEST_CASE("ANY keeps values as they are in a STRICT table only") { CHECK(affinity_of("ANY", true) == Affinity::none); }

TEST_CASE("a type that is declared for a new column is described as the same type again") {
  std::vector<ColumnType> types;
  for (int kind = 0; kind <= static_cast<int>(TypeKind::json); ++kind) types.push_back({static_cast<TypeKind>(kind)});
  types.push_back({TypeKind::decimal, 12, 2});
  types.push_back({TypeKind::decimal, 38, 0});
  types.push_back({TypeKind::text, 0, 0, 10});
  types.push_back({TypeKind::bytes, 0, 0, 16});
  for (const ColumnType& type : types) {
    const std::string declared = declared_type(type);
    INFO(to_string(type) << " declared " << declared);
    CHECK(column_type_of(declared, false) == type);
  }
}

TEST_CASE("no type that is declared for a new column changes a value by its affinity") {
  for (const TypeKind kind : {TypeKind::decimal, TypeKind::text, TypeKind::json}) {
    CHECK(affinity_of(declared_type({kind}), false) == Affinity::text);
  }
  CHECK(affinity_of(declared_type({TypeKind::decimal, 12, 2}), false) == Affinity::text);
  CHECK(affinity_of(declared_type({TypeKind::text, 0, 0, 10}), false) == Affinity::text);
  for (const TypeKind kind : {TypeKind::float32, TypeKind::float64}) {
    CHECK(affinity_of(declared_type({kind}), false) == Affinity::real);
  }
}

TEST_CASE("foreign declarations become the type that loses nothing") {
  struct Row {
    const char* declared;
    ColumnType type;
  };
  const auto row = GENERATE(values<Row>({{"INTEGER", {TypeKind::int64}},
                                         {"INT", {TypeKind::int64}},
                                         {"int(11)", {TypeKind::int64}},
                                         {"INT8", {TypeKind::int64}},
                                         {"MEDIUMINT", {TypeKind::int64}},
                                         {"UNSIGNED BIG INT", {TypeKind::int64}},
                                         {"REAL", {TypeKind::float64}},
                                         {"DOUBLE", {TypeKind::float64}},
                                         {"NUMERIC", {TypeKind::decimal}},
                                         {"DECIMAL(10,5)", {TypeKind::decimal, 10, 5}},
                                         {"VARCHAR(255)", {TypeKind::text, 0, 0, 255}},
                                         {"NATIVE CHARACTER(70)", {TypeKind::text}},
                                         {"TEXT", {TypeKind::text}},
                                         {"", {TypeKind::text}},
                                         {"BLOB", {TypeKind::bytes}},
                                         {"BOOLEAN", {TypeKind::boolean}},
                                         {"DATE", {TypeKind::date}},
                                         {"DATETIME", {TypeKind::timestamp}},
                                         {"timestamptz", {TypeKind::timestamptz}},
                                         {"uuid", {TypeKind::uuid}},
                                         {"whatever", {TypeKind::decimal}}}));
  INFO(row.declared);
  CHECK(to_string(column_type_of(row.declared, false)) == to_string(row.type));
}

TEST_CASE("names are quoted, and table names are taken apart as SQL does") {
  CHECK(quote("Odd \"Name\"") == "\"Odd \"\"Name\"\"\"");
  CHECK(table_name("orders") == "orders");
  CHECK(table_name("main.orders") == "orders");
  CHECK(table_name("MAIN.\"Odd.Name\"") == "Odd.Name");
  CHECK(table_name("\"a \"\"b\"\"\"") == "a \"b\"");
  CHECK_THROWS_WITH(table_name("other.orders"), contains("main"));
  for (const char* bad : {"", ".", "a.", ".a", "\"a", "a\"b", "main.a.b", "\"a\"b", "\"\""}) {
    INFO(bad);
    CHECK_THROWS_AS(table_name(bad), Error);
  }
}

TEST_CASE("an INSERT makes duplicates errors whatever the table's own conflict clauses say") {
  const TableSchema schema{"order items", {{"id", {TypeKind::int64}, false}, {"a\"b", {TypeKind::text}, true}}};
  CHECK(insert_statement({"\"order items\"", schema.columns}) ==
        R"(INSERT OR ABORT INTO main."order items" ("id", "a""b") VALUES (?, ?))");
}

TEST_CASE("a primary key of a column that does not exist is refused") {
  CHECK_THROWS_WITH(create_statement({"t", {{"id", {TypeKind::int64}, false}}}, {"other"}), contains("other"));
}

TEST_CASE("every spelling of one file is one resource") {
  const test::TempDir temp;
  const std::string folder = temp.path().string();
  std::filesystem::create_directory(temp.path() / "a");
  std::filesystem::create_directory_symlink(temp.path() / "a", temp.path() / "link");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(temp.path());
  const std::string expected = folder + "/a/shop.db";
  CHECK(path_of("sqlite://" + folder + "/a/shop.db") == expected);
  CHECK(path_of("sqlite:" + folder + "/a/shop.db") == expected);
  CHECK(path_of("sqlite:a/shop.db") == expected);
  CHECK(path_of("sqlite:./a/../a/shop.db") == expected);
  CHECK(path_of("sqlite:link/shop.db") == expected);
  CHECK(url_of(path_of("sqlite:a/shop.db")) == "sqlite://" + expected);
  CHECK(path_of(url_of(expected)) == expected);
  std::filesystem::current_path(before);
}

TEST_CASE("URLs that name no file are refused with how to write one") {
  const auto url = GENERATE(as<std::string>{}, "sqlite:", "sqlite://", "sqlite:///", "sqlite://host/shop.db",
                            "sqlite::memory:", "sqlite:shop.db?mode=ro", "sqlite:folder/", "postgresql://h/d");
  INFO(url);
  try {
    static_cast<void>(path_of(url));
    FAIL("taken");
  } catch (const Error& error) {
    CHECK(error.category() == Category::configuration);
    CHECK_THAT(error.details().hint, contains("sqlite:///absolute"));
  }
}
