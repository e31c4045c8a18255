// A batch of typed rows: row-major cells of 16 bytes and one arena for everything of variable length.
//
// Batches are made once, filled, moved to a writer, cleared and filled again; nothing is allocated per row.
// Not thread-safe; one thread owns a batch at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "xasink/schema.hpp"

namespace xasink {

/// One value. Which member counts is said by the column's TypeKind; for those held as bytes, `offset` and `length` name a
/// range of the batch's arena. The layout is part of the spool format: 8 bytes payload, 4 bytes length, 4 bytes flag.
struct Cell {
  union {
    std::int64_t i;
    std::uint64_t u;
    double d;
    std::uint64_t offset;
  };
  std::uint32_t length;
  std::uint32_t null;  ///< 0 or 1
};
static_assert(sizeof(Cell) == 16);

class RowBatch {
 public:
  /// \pre schema is not null and has at least one column.
  explicit RowBatch(std::shared_ptr<const TableSchema> schema) : schema_(std::move(schema)) {}

  RowBatch(RowBatch&&) noexcept = default;
  RowBatch& operator=(RowBatch&&) noexcept = default;
  RowBatch(const RowBatch&) = delete;
  RowBatch& operator=(const RowBatch&) = delete;
  ~RowBatch() = default;

  // --- reading -------------------------------------------------------------------------------------------------------
  [[nodiscard]] const TableSchema& schema() const noexcept { return *schema_; }
  [[nodiscard]] const std::shared_ptr<const TableSchema>& shared_schema() const noexcept { return schema_; }
  [[nodiscard]] std::size_t columns() const noexcept { return schema_->columns.size(); }
  [[nodiscard]] std::size_t rows() const noexcept { return lines_.size(); }
  [[nodiscard]] bool empty() const noexcept { return lines_.empty(); }
  /// Memory the rows take, cells and arena, in bytes.
  [[nodiscard]] std::size_t bytes() const noexcept { return cells_.size() * sizeof(Cell) + arena_.size(); }

  /// The first of columns() cells of a row. \pre row < rows()
  [[nodiscard]] const Cell* row(std::size_t row) const noexcept { return cells_.data() + row * columns(); }
  /// The bytes of a cell whose kind is held as bytes and that is not null.
  [[nodiscard]] std::string_view bytes_of(const Cell& cell) const noexcept {
    return {arena_.data() + cell.offset, cell.length};
  }
  [[nodiscard]] const std::vector<Cell>& cells() const noexcept { return cells_; }
  [[nodiscard]] const std::string& arena() const noexcept { return arena_; }

  // --- building: columns() appends, then end_row ------------------------------------------------------------------------
  void append_null() {
    Cell& cell = next();
    cell.i = 0;
    cell.length = 0;
    cell.null = 1;
  }
  void append_int(std::int64_t value) { next_value().i = value; }
  void append_uint(std::uint64_t value) { next_value().u = value; }
  void append_double(double value) { next_value().d = value; }
  /// \pre value.size() fits 32 bits
  void append_bytes(std::string_view value) {
    Cell& cell = next();
    cell.offset = arena_.size();
    cell.length = static_cast<std::uint32_t>(value.size());
    cell.null = 0;
    arena_.append(value);
  }

  /// Ends the row begun with the last columns() appends. `line` is where it starts in the file, 0 if it has none.
  void end_row(std::uint64_t line = 0) { lines_.push_back(line); arena_kept_ = arena_.size(); }
  /// Forgets the appends since the last end_row.
  void drop_row() noexcept {
    cells_.resize(rows() * columns());
    arena_.resize(arena_kept_);
  }
  /// How many appends the current row has so far.
  [[nodiscard]] std::size_t pending_cells() const noexcept { return cells_.size() - rows() * columns(); }

  /// Forgets all rows and the origin, keeps the memory.
  void clear() noexcept {
    cells_.clear();
    arena_.clear();
    lines_.clear();
    file_.reset();
    arena_kept_ = 0;
  }

  /// Replaces the content by cells and an arena as cells() and arena() gave them.
  /// \pre cells.size() == rows * columns(), and every offset and length lies within the arena
  void assign(std::vector<Cell> cells, std::string arena, std::size_t rows) {
    assign(std::move(cells), std::move(arena), std::vector<std::uint64_t>(rows, 0));
  }
  /// The same with the rows' lines, as lines() gave them (the spool does).
  void assign(std::vector<Cell> cells, std::string arena, std::vector<std::uint64_t> lines) {
    cells_ = std::move(cells);
    arena_ = std::move(arena);
    lines_ = std::move(lines);
    arena_kept_ = arena_.size();
  }

  // --- where the rows came from, for messages -------------------------------------------------------------------------------
  void set_file(std::shared_ptr<const std::string> file) noexcept { file_ = std::move(file); }
  [[nodiscard]] const std::shared_ptr<const std::string>& file() const noexcept { return file_; }
  [[nodiscard]] std::uint64_t line(std::size_t row) const noexcept { return lines_[row]; }
  [[nodiscard]] const std::vector<std::uint64_t>& lines() const noexcept { return lines_; }

 private:
  Cell& next() { return cells_.emplace_back(); }
  Cell& next_value() {
    Cell& cell = cells_.emplace_back();
    cell.length = 0;
    cell.null = 0;
    return cell;
  }

  std::shared_ptr<const TableSchema> schema_;
  std::vector<Cell> cells_;
  std::string arena_;
  std::size_t arena_kept_ = 0;  // arena size at the last end_row
  std::vector<std::uint64_t> lines_;
  std::shared_ptr<const std::string> file_;
};

}  // namespace xasink
