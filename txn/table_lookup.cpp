#include "txn/table_lookup.hpp"

#include "xasink/error.hpp"

namespace xasink::txn {
namespace {

std::string names_of(const TableSchema& schema) {
  std::string names;
  for (const Column& column : schema.columns) {
    if (!names.empty()) names += ", ";
    names += column.name;
  }
  return names;
}

}  // namespace

std::shared_ptr<const TableSchema> look_up_table(const Driver& driver, const std::string& url, const std::string& table,
                                                 const std::vector<std::string>& columns) {
  const std::string where = driver.resource_name(url);
  auto found = driver.open_catalog(url)->describe(table);
  if (!found) {
    throw Error(Category::preflight, "there is no table " + table + " at " + where,
                "make the table, or let the job make it with `create: true` and `columns:`");
  }
  if (found->columns.empty()) {
    throw Error(Category::preflight, "table " + table + " at " + where + " has no column that can be written",
                "add a column that is not generated");
  }
  if (columns.empty()) return std::make_shared<const TableSchema>(std::move(*found));

  auto narrowed = std::make_shared<TableSchema>();
  narrowed->table = found->table;
  for (const std::string& name : columns) {
    const auto index = found->find(name);
    if (!index) {
      throw Error(Category::preflight, "table " + table + " at " + where + " has no column \"" + name + "\"",
                  "it has: " + names_of(*found));
    }
    narrowed->columns.push_back(found->columns[*index]);
  }
  return narrowed;
}

}  // namespace xasink::txn
