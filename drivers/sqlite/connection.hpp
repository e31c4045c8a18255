// One open SQLite file and its statements, with errors thrown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace xasink::sqlite {

class Connection;

/// A prepared statement. Must not outlive its connection. Parameters count from 1, columns from 0.
class Statement {
 public:
  Statement(const Connection& connection, std::string_view sql);

  Statement& bind(int parameter, std::int64_t value);
  /// The text is not copied: it must live until the statement is stepped for the last time or bound anew.
  Statement& bind(int parameter, std::string_view text);
  /// \returns true if there is a row. \throws Error
  [[nodiscard]] bool step();
  /// For statements without a result.
  void run();

  [[nodiscard]] std::int64_t integer(int column) const noexcept;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] sqlite3_stmt* handle() const noexcept { return handle_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  const Connection* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// One thread at a time. Waits up to ten seconds for a lock that another connection holds. A commit is on disk when it
/// returns, in every journal mode.
class Connection {
 public:
  enum class Mode {
    existing,  ///< the file must be there and be writable
    inspect,   ///< the file must be there; nothing is written
    create,  ///< made if missing, then in WAL mode with pages of 16 KiB; the journal mode of a database that exists is
             ///< left alone
  };

  /// \throws Error (configuration, corrupt, …) naming the path
  Connection(std::filesystem::path path, Mode mode);

  void execute(const char* sql);
  [[nodiscard]] Statement prepare(std::string_view sql) const { return {*this, sql}; }
  /// First column of the first row; empty if there is no row.
  [[nodiscard]] std::optional<std::int64_t> query_integer(std::string_view sql) const;
  /// Rows that the last INSERT or DELETE itself changed, not its triggers.
  [[nodiscard]] std::int64_t changes() const noexcept;
  [[nodiscard]] bool in_transaction() const noexcept;

  [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Throws what the last call's result code means: "<path>: <SQLite's words>".
  [[noreturn]] void fail(int code) const;
  /// The same sentence, for those who throw something else.
  [[nodiscard]] std::string message(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace xasink::sqlite
