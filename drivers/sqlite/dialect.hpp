// Names, types and statements in SQLite's dialect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "xasink/schema.hpp"

namespace xasink::sqlite {

/// What SQLite turns values into when they are stored in a column of the declared type.
enum class Affinity {
  text,     ///< numbers become text
  numeric,  ///< text that looks like a number becomes an integer or a double
  integer,  ///< as numeric
  real,     ///< as numeric, and integers become doubles
  none,     ///< stored as given (BLOB affinity, ANY of a STRICT table)
};

/// By SQLite's five rules, in their order. \param strict the table is a STRICT one
[[nodiscard]] Affinity affinity_of(std::string_view declared, bool strict);

/// The type rows of a column have: what the declared type says, read as xasink's or SQL's word; else by affinity.
/// Integers without a width of their own (`INTEGER`, `INT`, `BIGINT`, `INT8`, …) are what SQLite makes of them: 64
/// bits.
[[nodiscard]] ColumnType column_type_of(std::string_view declared, bool strict);

/// The type to declare so that column_type_of gives `type` back and SQLite's affinity changes no value. Decimals become
/// `decimal_text(p,s)` and JSON `json_text`: names with TEXT in them have the affinity that keeps every digit, while
/// SQLite would store a `decimal` or `json` column's numbers as doubles.
[[nodiscard]] std::string declared_type(const ColumnType& type);

/// "name" with quotes inside doubled.
[[nodiscard]] std::string quote(std::string_view identifier);

/// The table's bare name out of `orders`, `main.orders`, `"Odd Name"` or `"main"."Odd Name"`.
/// \throws Error (configuration) if it is malformed or of a schema other than main
[[nodiscard]] std::string table_name(std::string_view table);

/// INSERT with one parameter a column. OR ABORT overrides an ON CONFLICT IGNORE or REPLACE in the table's own
/// constraints: a duplicate is an error, never a row less.
[[nodiscard]] std::string insert_statement(const TableSchema& schema);

[[nodiscard]] std::string create_statement(const TableSchema& schema, const std::vector<std::string>& primary_key);

/// Makes xasink_markers and xasink_epochs if they are missing.
[[nodiscard]] const char* bookkeeping_statements() noexcept;

}  // namespace xasink::sqlite
