// Cells back to text: the inverse of append_text.
#pragma once

#include <string>

#include "xasink/row_batch.hpp"

namespace xasink::schema {

/// Appends the text form of a cell of `batch`, such that append_text of it gives an equal cell: numbers as short as is
/// exact, times as calendar.hpp writes them (timestamptz in UTC, with +00:00), bytes as `\x` and hexadecimal, the rest
/// as it is held. Allocates only to grow `out`. \pre the cell is not null and is of that type \throws Error (internal)
/// for a date or time out of range, which append_text never makes; `out` is as before then
void append_value(std::string& out, const RowBatch& batch, const ColumnType& type, const Cell& cell);

}  // namespace xasink::schema
