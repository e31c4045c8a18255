// One made-up row, for any schema.
#pragma once

#include <cstdint>

#include "xasink/row_batch.hpp"

namespace xasink::sources {

/// Appends row `row` of the generator's sequence for `seed`. Allocates nothing but the batch's own growth.
/// \throws DataError if `row` doesn't fit a key column; the batch then has an unfinished row
void append_generated_row(RowBatch& batch, std::uint64_t seed, std::uint64_t row);

}  // namespace xasink::sources
