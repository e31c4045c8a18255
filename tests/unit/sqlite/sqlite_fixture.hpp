// A SQLite file of a test's own, and a way into it that is not the driver's.
#pragma once

#include <sqlite3.h>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "drivers/sqlite/driver.hpp"
#include "schema/parse_value.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"
#include "xasink/error.hpp"

namespace xasink::test {

struct SqliteFixture {
  TempDir temp;
  std::filesystem::path file = temp.path() / "shop.db";
  std::string url = "sqlite://" + file.string();
  std::unique_ptr<Driver> driver = make_sqlite_driver();

  using Row = std::vector<std::string>;

  /// Runs statements on a connection of its own; rows of all of them, NULL as `NULL`.
  std::vector<Row> sql(const std::string& text) {
    sqlite3* raw = nullptr;
    if (sqlite3_open(file.c_str(), &raw) != SQLITE_OK) throw std::runtime_error("open");
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle(raw, sqlite3_close);
    std::vector<Row> rows;
    char* error = nullptr;
    const auto collect = [](void* to, int columns, char** values, char**) {
      Row& row = static_cast<std::vector<Row>*>(to)->emplace_back();
      for (int i = 0; i < columns; ++i) row.emplace_back(values[i] == nullptr ? "NULL" : values[i]);
      return 0;
    };
    if (sqlite3_exec(raw, text.c_str(), collect, &rows, &error) != SQLITE_OK) {
      const std::string words = error == nullptr ? "?" : error;
      sqlite3_free(error);
      throw std::runtime_error(words);
    }
    return rows;
  }
  std::string value(const std::string& text) { return sql(text).at(0).at(0); }

  std::shared_ptr<const TableSchema> describe(const std::string& table = "t") {
    auto schema = driver->open_catalog(url)->describe(table);
    if (!schema) throw std::runtime_error("no table " + table);
    return std::make_shared<const TableSchema>(std::move(*schema));
  }
};

inline Xid sqlite_xid(std::uint64_t checkpoint = 1) { return {"orders", "0a1b2c3d4e", 1, 0, checkpoint, 0}; }

/// One row from texts; empty optional is NULL.
inline RowBatch batch_of(const std::shared_ptr<const TableSchema>& schema,
                         const std::vector<std::vector<std::optional<std::string>>>& rows) {
  RowBatch batch(schema);
  batch.set_file(std::make_shared<const std::string>("in.csv"));
  std::uint64_t line = 0;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!row[i]) {
        batch.append_null();
        continue;
      }
      const std::string refusal = schema::append_text(batch, schema->columns[i], *row[i]);
      if (!refusal.empty()) throw std::runtime_error(schema->columns[i].name + " " + refusal);
    }
    batch.end_row(++line);
  }
  return batch;
}

/// Writes a branch and commits it with its marker.
inline void load(Session& session, const RowBatch& batch, const Xid& xid) {
  session.begin(xid);
  session.write(batch);
  if (!session.write_marker({xid, batch.rows(), batch.bytes()})) throw std::runtime_error("marker there");
  session.commit();
}

/// The error that `act` throws. \throws if it throws none
inline Error error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  throw std::runtime_error("nothing was thrown");
}

}  // namespace xasink::test
