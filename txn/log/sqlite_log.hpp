// The transaction log as one SQLite file.
//
// WAL, synchronous FULL: a write that returned survives a power cut. The file is private to its user. One process at a time
// may write (a lock file beside it, held as long as the log is open); any number may read, also while a job runs.
// docs/formats.md has the tables.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "xasink/transaction_log.hpp"

namespace xasink::txn {

enum class LogAccess : std::uint8_t {
  exclusive,  ///< for a job, recovery or an operator's act: the file is made if it is missing
  read,       ///< for status and list: the file must be there
};

/// Whether a log of this name is there, or what is left of one: opening tells which.
[[nodiscard]] bool has_sqlite_log(const std::filesystem::path& file);

/// Opens the log of a job.
/// Dies while making a new log: none is there, or a complete one. \throws Error: (preflight) the log belongs to another job
/// or is held by another process or of a newer version; (corrupt) it is damaged; (configuration) it can't be opened
[[nodiscard]] std::unique_ptr<TransactionLog> open_sqlite_log(const std::filesystem::path& file, const std::string& job,
                                                              LogAccess access);

}  // namespace xasink::txn
