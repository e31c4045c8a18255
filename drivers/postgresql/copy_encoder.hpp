// Row batches to the bytes of COPY … (FORMAT binary), into one buffer that is reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/postgresql/target_table.hpp"
#include "xasink/row_batch.hpp"

namespace xasink::postgresql {

/// For one schema and one target. Nothing is allocated per row. Not thread-safe.
class CopyEncoder {
 public:
  /// Fixes how each column is sent. \throws Error (preflight) naming column and type if one can't be
  CopyEncoder(const TableSchema& schema, const TargetTable& target);

  void header();
  /// Appends rows from `first` on until the batch ends or the buffer is worth sending. \returns the first row not
  /// appended \throws DataError naming file, line and column if a value doesn't fit the column as it is
  [[nodiscard]] std::size_t encode(const RowBatch& batch, std::size_t first);
  void trailer();

  [[nodiscard]] std::string_view bytes() const noexcept { return {buffer_.data(), used_}; }
  void clear() noexcept { used_ = 0; }

 private:
  enum class Step : std::uint8_t {
    boolean,
    int2,
    int4,
    int8,
    float4,
    float8,
    numeric,
    numeric_int,
    numeric_uint,
    text,
    bytes,
    date,
    time,
    timestamp,
    uuid,
    jsonb,
  };
  struct Plan {
    Step step = Step::text;
    bool from_uint = false;  // the cell holds Cell::u
    std::int64_t low = 0;    // integers: what the server's type takes
    std::int64_t high = 0;
    std::int64_t unit = 1;         // time types: microseconds that the column keeps
    std::size_t integer = 0;       // numeric: digits that the column keeps before the point
    std::size_t scale = 0;         // and after it
    std::uint32_t max_length = 0;  // text: characters, 0 = unbounded
  };

  static Plan plan(const Column& column, const TargetColumn& target, const std::string& table);
  void reserve(std::size_t more);
  char* put_cell(char* out, const RowBatch& batch, std::size_t row, std::size_t column);
  char* put_integer(char* out, const RowBatch& batch, std::size_t row, std::size_t column);
  char* put_variable(char* out, const RowBatch& batch, std::size_t row, std::size_t column);
  [[noreturn]] void refuse(const RowBatch& batch, std::size_t row, std::size_t column, const std::string& why) const;

  std::string table_;
  std::vector<Plan> plans_;
  std::size_t fixed_ = 0;  // room a row takes without its values of variable length
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace xasink::postgresql
