#include "drivers/postgresql/dialect.hpp"

#include "xasink/error.hpp"

namespace xasink::postgresql {
namespace {

constexpr std::uint32_t kMaxVarchar = 10'485'760;

std::string doubled(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += c;
    out += c;
  }
  return out + quote;
}

}  // namespace

std::string quote_identifier(std::string_view name) { return doubled(name, '"'); }

std::string quote_literal(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return doubled(text, '\'');
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') escaped += c;
    escaped += c;
  }
  return "E" + doubled(escaped, '\'');
}

std::string sql_type(const ColumnType& type) {
  switch (type.kind) {
    case TypeKind::int8:
    case TypeKind::uint8:
    case TypeKind::int16: return "smallint";
    case TypeKind::uint16:
    case TypeKind::int32: return "integer";
    case TypeKind::uint32:
    case TypeKind::int64: return "bigint";
    case TypeKind::uint64: return "numeric(20,0)";
    case TypeKind::float32: return "real";
    case TypeKind::float64: return "double precision";
    case TypeKind::decimal:
      if (type.precision == 0) return "numeric";
      return "numeric(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
    case TypeKind::text:
      if (type.max_length == 0 || type.max_length > kMaxVarchar) return "text";
      return "varchar(" + std::to_string(type.max_length) + ")";
    case TypeKind::bytes: return "bytea";
    case TypeKind::boolean: return "boolean";
    case TypeKind::date: return "date";
    case TypeKind::time: return "time";
    case TypeKind::timestamp: return "timestamp";
    case TypeKind::timestamptz: return "timestamptz";
    case TypeKind::uuid: return "uuid";
    case TypeKind::json: return "json";  // jsonb would store it otherwise than it came: keys sorted, duplicates dropped
  }
  throw Error(Category::internal, "unknown column type");
}

std::string create_table_sql(const std::string& table, const TableSchema& schema,
                             const std::vector<std::string>& primary_key) {
  std::string sql = "CREATE TABLE IF NOT EXISTS " + table + " (";
  const char* separator = "";
  for (const Column& column : schema.columns) {
    sql +=
        separator + quote_identifier(column.name) + " " + sql_type(column.type) + (column.nullable ? "" : " NOT NULL");
    separator = ", ";
  }
  if (!primary_key.empty()) {
    sql += ", PRIMARY KEY (";
    separator = "";
    for (const std::string& name : primary_key) {
      sql += separator + quote_identifier(name);
      separator = ", ";
    }
    sql += ")";
  }
  return sql + ")";
}

}  // namespace xasink::postgresql
