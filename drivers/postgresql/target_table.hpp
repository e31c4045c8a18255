// The table that rows go to, as the server's catalog has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "xasink/schema.hpp"

namespace xasink::postgresql {

/// How a column takes values in binary form. Found from the type's receive function, so that domains, enums and types
/// of extensions that share one (citext) need no rule of their own.
enum class WireForm : std::uint8_t {
  boolean,
  int2,
  int4,
  int8,
  float4,
  float8,
  numeric,
  text,
  bytea,
  date,
  time,
  timestamp,
  timestamptz,
  uuid,
  json,
  jsonb,
};

struct TargetColumn {
  std::string name;
  std::string type;              ///< as the server writes it, for messages
  std::optional<WireForm> form;  ///< empty: a type that can't be written
  bool required = false;         ///< NOT NULL, also through a domain
  bool filled = false;           ///< has a default or is an identity
  bool writable = true;          ///< false: generated, or identity ALWAYS
  // The server rounds or cuts to these without a word when it reads binary input, so the encoder checks them.
  int precision = 0;             ///< numeric: digits in all; 0 = unbounded
  int scale = 0;                 ///< numeric: digits after the point, when precision > 0
  std::uint32_t max_length = 0;  ///< text: characters; 0 = unbounded
  int fraction = 6;              ///< time types: digits of a second
};

struct TargetTable {
  std::string qualified;  ///< schema and name, quoted
  std::string relname;    ///< bare, as the server's CONTEXT lines write it
  char kind = 'r';        ///< pg_class.relkind
  std::vector<TargetColumn> columns;

  [[nodiscard]] const TargetColumn* find(std::string_view name) const noexcept;
};

/// Rows of a query as text, so that both client libraries can be read by the same code. NULL is empty.
using TextRows = std::vector<std::vector<std::optional<std::string>>>;

/// The query that looks a table up by its name as written in a job file (SQL's rules of case and quoting).
[[nodiscard]] std::string table_query(std::string_view table);
/// \returns the table without columns, empty if there is none. \throws Error (preflight) if it is a view or the like
[[nodiscard]] std::optional<TargetTable> read_table(const TextRows& rows, const std::string& resource);
/// The query for the columns of the table found by table_query.
[[nodiscard]] std::string columns_query(const TargetTable& table);
void read_columns(const TextRows& rows, TargetTable& table);

/// The type a batch's column needs for this target. \pre column.form
[[nodiscard]] ColumnType column_type(const TargetColumn& column);

}  // namespace xasink::postgresql
