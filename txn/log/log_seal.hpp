// Every row of the log carries a checksum of itself: SQLite's pages carry none, and a bit that flips on the disk would
// otherwise move a position or hide a decided branch without a word.
#pragma once

#include <string>

#include "txn/log/sqlite_handle.hpp"

namespace xasink::txn {

/// Teaches the connection `seal(value, …)`: XXH3-64 of the values with their types and lengths, as a signed integer.
void add_seal_function(SqliteHandle& database);

/// \returns which row is not as it was written or is missing, in words; empty if all are whole
[[nodiscard]] std::string find_broken_row(SqliteHandle& database);

}  // namespace xasink::txn
