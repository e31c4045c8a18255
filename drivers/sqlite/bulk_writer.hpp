// Rows into one table by one prepared INSERT.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "drivers/sqlite/column_plan.hpp"
#include "drivers/sqlite/connection.hpp"
#include "xasink/row_batch.hpp"

namespace xasink::sqlite {

/// Made per branch, because the table may have changed since the last. One thread; must not outlive its connection.
/// After an error it is of no more use.
class BulkWriter {
 public:
  /// \throws Error (preflight) if the table can't take the columns
  BulkWriter(Connection& connection, std::shared_ptr<const TableSchema> schema);

  /// Values are bound where they lie; nothing is allocated per row. \pre the connection is in a transaction
  /// \throws DataError naming file and line of a row that SQLite refuses or would change; Error otherwise
  void write(const RowBatch& batch);
  /// Rows that SQLite took, each seen in its own count of changes.
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }

 private:
  void bind_row(const RowBatch& batch, const Cell* row);
  void insert(const RowBatch& batch, std::size_t row);

  Connection& connection_;
  std::shared_ptr<const TableSchema> schema_;
  std::vector<ColumnPlan> plan_;
  Statement statement_;
  /// A column's date, time or UUID as text, while its row is bound.
  std::vector<std::array<char, 40>> texts_;
  std::uint64_t rows_ = 0;
};

}  // namespace xasink::sqlite
