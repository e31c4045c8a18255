// Tables and capabilities of a SQLite file.
#pragma once

#include <filesystem>
#include <utility>

#include "xasink/driver.hpp"

namespace xasink::sqlite {

/// Opens the file for each call, so that a file that is not there yet has no tables, and only create_table makes it.
class SqliteCatalog final : public Catalog {
 public:
  explicit SqliteCatalog(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] Capabilities capabilities() override;
  /// Columns of the primary key count as NOT NULL: SQLite would store a NULL there as a number of its choice, or keep
  /// it. \throws Error (preflight) if the name is a view's or a virtual table's; (configuration) if the folder is
  /// missing
  [[nodiscard]] std::optional<TableSchema> describe(const std::string& table) override;
  /// Makes the database too if the file is missing, in WAL mode. A key of one int64 column becomes the row id.
  void create_table(const TableSchema& schema, const std::vector<std::string>& primary_key) override;

 private:
  std::filesystem::path path_;
};

}  // namespace xasink::sqlite
