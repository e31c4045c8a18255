#include "txn/log/sqlite_handle.hpp"

#include <cerrno>
#include <cstring>

#include "xasink/error.hpp"

namespace xasink::txn {

void throw_sqlite(sqlite3* handle, int code, const std::string& file, std::string_view doing) {
  const int extended = handle != nullptr ? sqlite3_extended_errcode(handle) : code;
  ErrorDetails details;
  details.vendor_code = extended;
  std::string words = handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  int family = code & 0xff;
  if (family == SQLITE_IOERR && handle != nullptr) {
    // SQLite tells a full disk by its own code in most places, but not where it makes its shared memory.
    const int reason = sqlite3_system_errno(handle);
    if (reason == ENOSPC || reason == EDQUOT) family = SQLITE_FULL;
    if (reason != 0) words += std::string(" (") + std::strerror(reason) + ")";
  }
  switch (family) {
    case SQLITE_FULL:
      details.category = Category::resources;
      words = "the disk is full";
      details.hint = "free space on the file system of the log, then run the job again";
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      details.category = Category::corrupt;
      details.hint =
          "restore the log from a backup or call an operator; do not delete it: it alone knows which branches were decided";
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      details.category = Category::contention;
      details.retryable = true;
      details.hint = "another program holds the log file locked; close it";
      break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_AUTH:
      details.category = Category::configuration;
      details.hint = "give this user read and write permission on the log file and its folder";
      break;
    default:
      details.category = Category::io;
      details.hint = "look at the file system of the log, then run the job again";
      break;
  }
  throw Error("log " + file + ": " + std::string(doing) + ": " + words, details);
}

SqliteStatement::SqliteStatement(SqliteHandle& database, std::string_view sql) : database_(&database) {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v3(database.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &raw, nullptr);
  statement_.reset(raw);
  if (code != SQLITE_OK) throw_sqlite(database.get(), code, database.file(), "can't prepare a statement");
}

SqliteStatement& SqliteStatement::bind(int index, std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_.get(), index, value);
  if (code != SQLITE_OK) throw_sqlite(database_->get(), code, database_->file(), "can't bind a value");
  return *this;
}

SqliteStatement& SqliteStatement::bind_text(int index, std::string_view value) {
  const int code = sqlite3_bind_text64(statement_.get(), index, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) throw_sqlite(database_->get(), code, database_->file(), "can't bind a value");
  return *this;
}

SqliteStatement& SqliteStatement::bind_blob(int index, std::string_view value) {
  const int code = sqlite3_bind_blob64(statement_.get(), index, value.data(), value.size(), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) throw_sqlite(database_->get(), code, database_->file(), "can't bind a value");
  return *this;
}

bool SqliteStatement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  // The error text must be read before the reset clears it.
  try {
    throw_sqlite(database_->get(), code, database_->file(), "a statement failed");
  } catch (...) {
    reset();
    throw;
  }
}

void SqliteStatement::run() {
  step();
  reset();
}

void SqliteStatement::reset() noexcept {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::string SqliteStatement::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

SqliteHandle::SqliteHandle(const std::filesystem::path& file, int flags) : file_(file.string()) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(file_.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  handle_.reset(raw);
  if (code != SQLITE_OK) throw_sqlite(raw, code, file_, "can't be opened");
  sqlite3_busy_timeout(raw, 10'000);
}

void SqliteHandle::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw_sqlite(handle_.get(), code, file_, "a statement failed");
}

std::int64_t SqliteHandle::query_integer(const std::string& sql) {
  SqliteStatement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string SqliteHandle::query_text(const std::string& sql) {
  SqliteStatement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string();
}

SqliteTransaction::SqliteTransaction(SqliteHandle& database) : database_(&database) {
  database.execute("BEGIN IMMEDIATE");
}

SqliteTransaction::~SqliteTransaction() {
  // A failed COMMIT may have rolled back already; then there is nothing left to do.
  if (open_ && sqlite3_get_autocommit(database_->get()) == 0) {
    sqlite3_exec(database_->get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

void SqliteTransaction::commit() {
  database_->execute("COMMIT");
  open_ = false;
}

}  // namespace xasink::txn
