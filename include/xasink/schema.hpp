// Column types and table schemas, free of any database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xasink {

/// The types a column of a batch can have. In comments: how a Cell holds the value (see row_batch.hpp).
enum class TypeKind : std::uint8_t {
  int8,         ///< Cell::i
  int16,        ///< Cell::i
  int32,        ///< Cell::i
  int64,        ///< Cell::i
  uint8,        ///< Cell::i
  uint16,       ///< Cell::i
  uint32,       ///< Cell::i
  uint64,       ///< Cell::u
  float32,      ///< Cell::d, exactly representable as float
  float64,      ///< Cell::d
  decimal,      ///< bytes: canonical text `-?digits(.digits)?`, no exponent, no superfluous zero in front, "0" for zero
  text,         ///< bytes: valid UTF-8
  bytes,        ///< bytes: as they are
  boolean,      ///< Cell::i, 0 or 1
  date,         ///< Cell::i, days since 1970-01-01 (proleptic Gregorian)
  time,         ///< Cell::i, microseconds since midnight, 0 to 86'399'999'999
  timestamp,    ///< Cell::i, microseconds since 1970-01-01 00:00:00 of an unnamed zone
  timestamptz,  ///< Cell::i, microseconds since 1970-01-01 00:00:00 UTC
  uuid,         ///< bytes: 16, in network order
  json,         ///< bytes: valid JSON text in UTF-8
};

/// A type with its bounds. A value outside them is refused, never cut or rounded.
struct ColumnType {
  TypeKind kind = TypeKind::text;
  int precision = 0;             ///< decimal: digits in all; 0 = unbounded. date and time types: unused
  int scale = 0;                 ///< decimal: digits after the point, when precision > 0. time types: unused
  std::uint32_t max_length = 0;  ///< text: code points; bytes: bytes; 0 = unbounded

  friend bool operator==(const ColumnType&, const ColumnType&) = default;
};

/// `int32`, `decimal(12,2)`, `text(10)`, … the same words as the job file's `columns:`.
[[nodiscard]] std::string to_string(const ColumnType& type);
/// Inverse of to_string; also takes the usual SQL spellings (`bigint`, `numeric(12,2)`, `varchar(10)`, `timestamp with time
/// zone`, …) in any case. Empty if the text names no type.
[[nodiscard]] std::optional<ColumnType> parse_column_type(std::string_view text);

struct Column {
  std::string name;  ///< as the database spells it, unquoted
  ColumnType type;
  bool nullable = true;

  friend bool operator==(const Column&, const Column&) = default;
};

/// The columns that are written, in the order of the cells of a row. A table may have others (defaults, identity).
struct TableSchema {
  std::string table;  ///< as written in the job file: `orders`, `public.orders`, `"Odd Name"."t"`
  std::vector<Column> columns;

  [[nodiscard]] std::optional<std::size_t> find(std::string_view column) const noexcept {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == column) return i;
    }
    return std::nullopt;
  }

  friend bool operator==(const TableSchema&, const TableSchema&) = default;
};

}  // namespace xasink
