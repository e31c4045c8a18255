// Tables of the SQLite log and how a file comes to have them.
#pragma once

#include <filesystem>
#include <string>

#include "txn/log/sqlite_handle.hpp"

namespace xasink::txn {

/// Makes a complete new log of `job` under its final name, or nothing. \pre no file of that name is there
void create_log_file(const std::filesystem::path& file, const std::string& job);

/// Refuses a file that does not even begin as a database, before SQLite opens it: SQLite takes an empty file for a new
/// database and deletes the -wal beside it. \throws Error (corrupt)
void require_log_file(const std::filesystem::path& file);

/// Checks that the file is a log, undamaged in every row that counts, of a version this build knows and of `job`; brings older versions up to date
/// when `writable`. \throws Error (corrupt, preflight)
void check_log_file(SqliteHandle& database, const std::string& job, bool writable);

}  // namespace xasink::txn
