#include "drivers/sqlite/catalog.hpp"

#include <sqlite3.h>

#include <system_error>

#include "drivers/sqlite/column_plan.hpp"
#include "drivers/sqlite/connection.hpp"
#include "drivers/sqlite/dialect.hpp"
#include "xasink/error.hpp"

namespace xasink::sqlite {

Capabilities SqliteCatalog::capabilities() {
  Capabilities capabilities;
  capabilities.two_phase = false;
  capabilities.two_phase_reason = "SQLite has no two-phase commit; use the staged protocol, its default";
  capabilities.version = std::string("SQLite ") + sqlite3_libversion();
  capabilities.parallel_commits = false;
  capabilities.bulk_path = "prepared INSERT";
  return capabilities;
}

std::optional<TableSchema> SqliteCatalog::describe(const std::string& table) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path_.parent_path(), error);
  if (folder && !std::filesystem::exists(path_, error) && !error) return std::nullopt;
  const Connection connection(path_, Connection::Mode::inspect);
  const auto info = table_info(connection, table);
  if (!info) return std::nullopt;
  if (info->type != "table") {
    throw Error(Category::preflight, path_.string() + ": " + table + " is a " + info->type + ", not a table",
                "name the table that holds the rows");
  }
  TableSchema schema{table, {}};
  for (const TableColumn& column : info->columns) {
    if (!column.writable) continue;
    schema.columns.push_back(
        {column.name, column_type_of(column.declared, info->strict), !column.not_null && !column.primary_key});
  }
  return schema;
}

void SqliteCatalog::create_table(const TableSchema& schema, const std::vector<std::string>& primary_key) {
  const std::string sql = create_statement(schema, primary_key);
  Connection connection(path_, Connection::Mode::create);
  connection.execute(sql.c_str());
}

}  // namespace xasink::sqlite
