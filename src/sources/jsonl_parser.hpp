// One JSON object a line to rows, by simdjson.
#pragma once

#include <simdjson.h>

#include <string>
#include <vector>

#include "src/sources/record_parser.hpp"

namespace xasink::sources {

/// Keys name columns, in any order; a missing key or `null` is NULL. Numbers and strings keep every digit and character
/// they have in the file: nothing goes through a floating-point number.
///   number          number columns (integers, floats, decimal)
///   string          every column but json: its content, read as a CSV field would be
///   true, false     boolean columns
///   object, array   json columns
/// A json column takes any value but `null`, as it is written.
class JsonlParser final : public RecordParser {
 public:
  JsonlParser() = default;

  [[nodiscard]] LineEnds line_ends() const noexcept override { return LineEnds::lf; }
  void bind(std::shared_ptr<const TableSchema> schema) override;
  void start_file() override { resume(); }
  [[nodiscard]] bool needs_header() const noexcept override { return false; }
  void resume() noexcept override { partial_.clear(); }
  [[nodiscard]] Fed feed(const Piece& piece, const Place& place, RowBatch& batch) override;
  [[nodiscard]] Fed finish(const Place& place, RowBatch& batch) override;

 private:
  struct Value {
    enum class State : std::uint8_t { missing, null, text } state;
    std::string_view text;  // in the line, or in simdjson's own buffer
  };

  [[nodiscard]] Fed take_line(std::string_view line, std::size_t allocated, const Place& place, RowBatch& batch);
  void collect(std::string_view line, std::size_t allocated, const Place& place);
  [[nodiscard]] std::size_t column_of(std::string_view key, std::size_t position, const Place& place);
  [[nodiscard]] Value value_for(const Column& column, simdjson::ondemand::value value, const Place& place);

  std::shared_ptr<const TableSchema> schema_;
  simdjson::ondemand::parser json_;
  std::vector<Value> values_;          // of the current line, by column
  std::vector<std::size_t> expected_;  // column of the n-th key of the line before: most lines have the same order
  std::string partial_;                // of a line that is longer than the reader's buffer, or has no end
};

}  // namespace xasink::sources
