// How the values of a column go into SQLite so that they come out as they are, and which don't.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/sqlite/connection.hpp"
#include "xasink/error.hpp"
#include "xasink/row_batch.hpp"

namespace xasink::sqlite {

/// The way one column is bound, from its type and the affinity of the table's column.
enum class Binding {
  integer,
  integer_in_real,   ///< becomes a double: up to 2^53
  unsigned_integer,  ///< up to 2^63-1: SQLite's integers are signed
  unsigned_in_real,
  real,
  text,
  text_not_number,  ///< SQLite would turn text that looks like a number into one
  bytes,
  decimal_text,     ///< every digit is kept
  decimal_numeric,  ///< 64-bit integers and up to 15 digits are kept
  decimal_real,     ///< up to 15 digits are kept
  date,
  time,
  timestamp,
  timestamptz,
  uuid,
};

struct ColumnPlan {
  Binding binding = Binding::integer;
  bool nullable = true;
};

/// One table column as the catalog has it.
struct TableColumn {
  std::string name;
  std::string declared;
  bool not_null = false;
  bool primary_key = false;
  bool writable = true;  ///< neither hidden nor generated
};

struct TableInfo {
  std::string type;  ///< `table`, `view`, `virtual`, …
  bool strict = false;
  std::vector<TableColumn> columns;
};
/// \returns empty if there is no such table
[[nodiscard]] std::optional<TableInfo> table_info(const Connection& connection, std::string_view table);

/// One plan a column of the schema, in its order. Columns of the primary key take no NULL, whatever the table says:
/// SQLite would keep it, or put a number of its own choice in its place. \throws Error (preflight) if table or column
/// is missing, or the column would change every value of the type
[[nodiscard]] std::vector<ColumnPlan> plan_columns(const Connection& connection, const TableSchema& schema);

/// Passes if every value of the batch can be held as it is.
/// \throws DataError with file, line, column and value of the first that can't
void check_values(const std::vector<ColumnPlan>& plan, const RowBatch& batch);

/// "orders.csv:17: " of a row, or nothing if its origin is not known.
[[nodiscard]] std::string origin_prefix(const RowBatch& batch, std::size_t row);
/// File and line of a row for a DataError.
[[nodiscard]] DataError::Origin origin_of(const RowBatch& batch, std::size_t row);

}  // namespace xasink::sqlite
