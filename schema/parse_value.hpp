// Text to typed cells, checked against the column: the one place where a value's fit is decided on the way in.
#pragma once

#include <string>
#include <string_view>

#include "xasink/row_batch.hpp"

namespace xasink::schema {

/// Empty: the value was appended. Otherwise why it can't be stored as it is ("is not an integer", "has 3 digits after
/// the point, decimal(12,2) takes 2", …), to be put behind the column's name; nothing was appended then.
using Refusal = std::string;

/// Parses one field and appends it to the row being built. Allocates nothing per value when it fits: the batch and a
/// few buffers of the calling thread grow to the largest value seen and stay. Safe from several threads on different
/// batches.
[[nodiscard]] Refusal append_text(RowBatch& batch, const Column& column, std::string_view text);
/// Appends NULL, unless the column is NOT NULL.
[[nodiscard]] Refusal append_null(RowBatch& batch, const Column& column);
/// For display in messages: at most about 40 characters, control characters escaped, valid UTF-8.
[[nodiscard]] std::string shorten(std::string_view value);

}  // namespace xasink::schema
