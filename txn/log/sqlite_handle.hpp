// The few SQLite calls the log needs, with errors as Error. Not thread-safe.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace xasink::txn {

/// Throws the handle's last error: full disk, damage, lock and I/O told apart, the file named.
[[noreturn]] void throw_sqlite(sqlite3* handle, int code, const std::string& file, std::string_view doing);

class SqliteHandle;

/// A prepared statement; run it, read its row, reset it.
class SqliteStatement {
 public:
  SqliteStatement(SqliteHandle& database, std::string_view sql);

  SqliteStatement& bind(int index, std::int64_t value);
  SqliteStatement& bind(int index, std::uint64_t value) { return bind(index, static_cast<std::int64_t>(value)); }
  SqliteStatement& bind_text(int index, std::string_view value);
  SqliteStatement& bind_blob(int index, std::string_view value);
  /// \returns true if there is a row
  bool step();
  /// Steps once, expects no row, and resets.
  void run();
  void reset() noexcept;

  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  [[nodiscard]] std::uint64_t unsigned_integer(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool is_null(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
  };
  SqliteHandle* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class SqliteHandle {
 public:
  /// \throws Error if the file can't be opened
  SqliteHandle(const std::filesystem::path& file, int flags);

  void execute(const std::string& sql);
  [[nodiscard]] std::int64_t query_integer(const std::string& sql);
  [[nodiscard]] std::string query_text(const std::string& sql);
  [[nodiscard]] std::int64_t changes() const noexcept { return sqlite3_changes64(handle_.get()); }
  [[nodiscard]] sqlite3* get() const noexcept { return handle_.get(); }
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// BEGIN IMMEDIATE, rolled back unless commit() was called.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteHandle& database);
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;
  ~SqliteTransaction();
  void commit();

 private:
  SqliteHandle* database_;
  bool open_ = true;
};

}  // namespace xasink::txn
