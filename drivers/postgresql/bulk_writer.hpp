// Rows into a table through binary COPY, inside the transaction that is open on a connection.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "drivers/postgresql/connection.hpp"
#include "drivers/postgresql/copy_encoder.hpp"
#include "drivers/postgresql/row_trail.hpp"
#include "drivers/postgresql/target_table.hpp"
#include "xasink/row_batch.hpp"

namespace xasink::postgresql {

/// What the server's CONTEXT says of a COPY error: `COPY orders, line 3, column id` in any language.
struct CopyPlace {
  std::uint64_t row = 0;  ///< counted from 1 within the statement
  std::string column;     ///< may be empty
};
[[nodiscard]] std::optional<CopyPlace> copy_place(std::string_view context, std::string_view relname);

/// A table as it was looked up, with the catalog's rows it was made from, to see later whether it is still the same.
struct LookedUp {
  TargetTable table;
  TextRows columns;
};
/// \throws Error (preflight) if there is no such table or it is none
[[nodiscard]] LookedUp look_up(Connection& connection, const std::string& table);

/// Not thread-safe; the connection must outlive it. After anything threw, only abandon() may follow.
class BulkWriter {
 public:
  explicit BulkWriter(Connection& connection) : connection_(connection) {}

  /// \throws DataError for a row the encoder or the server refuses, maybe one of an earlier batch; Error otherwise
  void write(const RowBatch& batch);
  /// Ends the statement and proves that the server took every row, and that the table's columns were the ones the rows
  /// were encoded for. \returns the rows of the branch \throws as write
  [[nodiscard]] std::uint64_t finish();
  /// Ends a statement that is under way without its rows, and forgets the branch. Never throws; if the connection is no
  /// longer of use afterwards, its transaction status says so.
  void abandon() noexcept;

 private:
  void prepare_for(const RowBatch& batch);
  void start_copy();
  void send();
  void end_copy();
  [[noreturn]] void fail(const ServerError& error);
  [[noreturn]] void fail_lost();

  Connection& connection_;
  // The table as it was looked up, kept over branches: finish() finds out if it is out of date.
  std::shared_ptr<const TableSchema> schema_;
  LookedUp target_;
  std::optional<CopyEncoder> encoder_;

  bool copying_ = false;
  bool used_ = false;             // this branch has rows
  std::uint64_t rows_ = 0;        // of the branch, encoded so far
  std::uint64_t copy_first_ = 0;  // first row of the statement under way
  RowTrail trail_;
};

}  // namespace xasink::postgresql
