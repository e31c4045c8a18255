// A batch of one column, for tests of single values.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "schema/format_value.hpp"
#include "schema/parse_value.hpp"

namespace xasink::test {

inline ColumnType type_of(std::string_view word) {
  const auto type = parse_column_type(word);
  if (!type) throw std::invalid_argument("the test names no type: " + std::string(word));
  return *type;
}

/// Parses texts into a column of one type and keeps the last cell.
class OneValue {
 public:
  explicit OneValue(std::string_view type, bool nullable = true)
      : batch_(std::make_shared<TableSchema>(TableSchema{"t", {Column{"c", type_of(type), nullable}}})) {}

  /// The refusal, empty if the text was taken. A text that was refused must leave nothing behind.
  std::string take(std::string_view text) {
    batch_.clear();
    const std::string refusal = schema::append_text(batch_, column(), text);
    if (batch_.pending_cells() != (refusal.empty() ? 1U : 0U)) throw std::logic_error("a refusal and a cell");
    if (!refusal.empty() && !batch_.arena().empty()) throw std::logic_error("a refusal left bytes behind");
    if (refusal.empty()) batch_.end_row();
    return refusal;
  }
  /// Takes a text that must fit. \throws std::runtime_error with the refusal
  const Cell& cell(std::string_view text) {
    const std::string refusal = take(text);
    if (!refusal.empty()) throw std::runtime_error(std::string(text) + ' ' + refusal);
    return batch_.row(0)[0];
  }
  std::string bytes(std::string_view text) { return std::string(batch_.bytes_of(cell(text))); }
  /// The text form of what the text became.
  std::string again(std::string_view text) {
    std::string out;
    schema::append_value(out, batch_, column().type, cell(text));
    return out;
  }

  [[nodiscard]] const Column& column() const { return batch_.schema().columns[0]; }
  RowBatch& batch() { return batch_; }

 private:
  RowBatch batch_;
};

}  // namespace xasink::test
