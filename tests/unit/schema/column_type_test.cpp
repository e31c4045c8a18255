#include "one_value.hpp"
#include "tests/support/catch.hpp"
#include "xasink/schema.hpp"

namespace xasink {
namespace {

TEST_CASE("every own word of a type parses to the type that prints as that word") {
  for (const char* word :
       {"int8",          "int16",           "int32",   "int64",    "uint8",        "uint16",
        "uint32",        "uint64",          "float32", "float64",  "decimal",      "text",
        "text(10)",      "bytes",           "date",    "bytes(3)", "timestamp",    "time",
        "decimal(12,2)", "boolean",         "json",    "uuid",     "decimal(5,0)", "decimal(1000,1000)",
        "timestamptz",   "text(4294967295)"}) {
    CAPTURE(word);
    const auto type = parse_column_type(word);
    REQUIRE(type);
    CHECK(to_string(*type) == word);
  }
}

TEST_CASE("every kind has a word of its own") {
  for (int kind = 0; kind <= static_cast<int>(TypeKind::json); ++kind) {
    const ColumnType type{static_cast<TypeKind>(kind)};
    CAPTURE(kind);
    CHECK(to_string(type) != "unknown");
    CHECK(parse_column_type(to_string(type)) == type);
  }
}

TEST_CASE("SQL spellings name our types in any case and spacing") {
  struct Row {
    const char* sql;
    const char* own;
  };
  for (const auto& [sql, own] : std::initializer_list<Row>{
           {"TINYINT", "int8"},
           {"tinyint(1)", "int8"},
           {"tinyint unsigned", "uint8"},
           {"smallint", "int16"},
           {"SmallInt(5) Unsigned", "uint16"},
           {"integer", "int32"},
           {"INT", "int32"},
           {"int(11)", "int32"},
           {"int unsigned", "uint32"},
           {"integer unsigned", "uint32"},
           {"bigint", "int64"},
           {"BIGINT(20)   UNSIGNED", "uint64"},
           {"bigint unsigned", "uint64"},
           {"real", "float32"},
           {"float4", "float32"},
           {"float", "float64"},
           {"double", "float64"},
           {"Double\tPrecision", "float64"},
           {"numeric", "decimal"},
           {"numeric(12,2)", "decimal(12,2)"},
           {" NUMERIC ( 12 , 2 ) ", "decimal(12,2)"},
           {"numeric(12)", "decimal(12,0)"},
           {"dec(4,4)", "decimal(4,4)"},
           {"varchar(10)", "text(10)"},
           {"varchar", "text"},
           {"character varying(7)", "text(7)"},
           {"CHARACTER VARYING", "text"},
           {"char(2)", "text(2)"},
           {"longtext", "text"},
           {"bytea", "bytes"},
           {"BLOB", "bytes"},
           {"varbinary(16)", "bytes(16)"},
           {"bool", "boolean"},
           {"time without time zone", "time"},
           {"time(6)", "time"},
           {"datetime", "timestamp"},
           {"datetime(6)", "timestamp"},
           {"timestamp without time zone", "timestamp"},
           {"timestamp(6) without time zone", "timestamp"},
           {"TIMESTAMP WITH TIME ZONE", "timestamptz"},
           {"timestamp (6) with  time zone", "timestamptz"},
           {"timestamptz(6)", "timestamptz"},
           {"jsonb", "json"},
           {"UUID", "uuid"},
       }) {
    CAPTURE(sql);
    const auto type = parse_column_type(sql);
    REQUIRE(type);
    CHECK(to_string(*type) == own);
  }
}

TEST_CASE("what names no type of ours is not taken for one") {
  for (const char* text : {"",
                           " ",
                           "()",
                           "(5)",
                           "string",
                           "int128",
                           "int4",
                           "mediumint",
                           "decimal()",
                           "decimal(0)",
                           "decimal(0,0)",
                           "decimal(2,5)",
                           "decimal(1001)",
                           "decimal(2,-1)",
                           "decimal(-2)",
                           "decimal(1,2,3)",
                           "decimal(1,)",
                           "decimal(,1)",
                           "decimal(12,2",
                           "decimal 12,2)",
                           "decimal(12;2)",
                           "decimal(12 2)",
                           "decimal(12,2)x",
                           "decimal(12,2) x",
                           "decimal(12,2)(1)",
                           "decimal(a)",
                           "text(0)",
                           "text(-1)",
                           "text(1,2)",
                           "text(4294967296)",
                           "bytes(0)",
                           "uuid(1)",
                           "int32(4)",
                           "int32 unsigned",
                           "timestamp(3)",
                           "timestamp(0) with time zone",
                           "time(5)",
                           "time with time zone",
                           "timestamp with",
                           "timestamp(6)with time zone",
                           "datetime(3)",
                           "binary(16)",
                           "text;",
                           "text\xff",
                           "int 32"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_column_type(text));
  }
  CHECK_FALSE(parse_column_type(std::string_view("text\0", 5)));
}

TEST_CASE("numeric with a precision alone has scale 0, without one it is unbounded") {
  CHECK(test::type_of("numeric(9)") == ColumnType{TypeKind::decimal, 9, 0, 0});
  CHECK(test::type_of("numeric") == ColumnType{TypeKind::decimal, 0, 0, 0});
}

}  // namespace
}  // namespace xasink
