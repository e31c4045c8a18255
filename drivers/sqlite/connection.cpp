#include "drivers/sqlite/connection.hpp"

#include <sqlite3.h>

#include <system_error>
#include <utility>

#include "drivers/sqlite/error_map.hpp"
#include "xasink/error.hpp"

namespace xasink::sqlite {
namespace {

constexpr int busy_milliseconds = 10'000;

void check_place(const std::filesystem::path& path, bool create) {
  std::error_code error;
  if (!std::filesystem::is_directory(path.parent_path(), error)) {
    throw Error(Category::configuration, path.string() + ": the folder " + path.parent_path().string() + " is missing",
                "make the folder or correct the URL");
  }
  if (std::filesystem::is_directory(path, error)) {
    throw Error(Category::configuration, path.string() + " is a folder, not a database file", "correct the URL");
  }
  // Only create_table makes files: a mistyped name must not become an empty database.
  if (!create && !std::filesystem::exists(path, error) && !error) {
    throw Error(Category::preflight, path.string() + ": there is no such database file",
                "correct the URL, or let the target make its table with create: true");
  }
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Statement::Statement(const Connection& connection, std::string_view sql) : connection_(&connection) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  handle_.reset(statement);
  if (code != SQLITE_OK) connection.fail(code);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  if (const int code = sqlite3_bind_int64(handle_.get(), parameter, value); code != SQLITE_OK) connection_->fail(code);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  const int code = sqlite3_bind_text64(handle_.get(), parameter, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) connection_->fail(code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) connection_->fail(code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
}

std::int64_t Statement::integer(int column) const noexcept { return sqlite3_column_int64(handle_.get(), column); }

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  const int length = sqlite3_column_bytes(handle_.get(), column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(length));
}

void Connection::Close::operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }

Connection::Connection(std::filesystem::path path, Mode mode) : path_(std::move(path)) {
  check_place(path_, mode == Mode::create);
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= mode == Mode::inspect ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (mode == Mode::create) flags |= SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path_.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(handle, busy_milliseconds);
  execute("PRAGMA schema_version");  // the first read: says now, not in the middle of a load, if this is no database
  if (mode == Mode::inspect) return;
  if (sqlite3_db_readonly(handle, "main") == 1) {
    throw Error(path_.string() + ": the database is read-only for this user", classify(SQLITE_READONLY));
  }
  // EXTRA, because with a rollback journal FULL leaves a gap: power lost after the journal was unlinked but before its
  // folder reached the disk undoes a commit that was already reported, and the spool file is gone by then.
  execute("PRAGMA synchronous=EXTRA");
  execute("PRAGMA cache_size=-16384");  // KiB
  // As the user declared them; SQLite's default is to ignore them.
  execute("PRAGMA foreign_keys=ON");
  if (mode == Mode::create && query_integer("PRAGMA page_count") == 0) {
    // Larger pages than SQLite's 4096 make bulk loads a fifth faster. Somebody else who makes the same file at this
    // moment wins: either mode is as durable.
    execute("PRAGMA page_size=16384");
    sqlite3_exec(handle, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
  }
}

void Connection::execute(const char* sql) {
  if (const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr); code != SQLITE_OK) fail(code);
}

std::optional<std::int64_t> Connection::query_integer(std::string_view sql) const {
  Statement statement = prepare(sql);
  if (!statement.step()) return std::nullopt;
  return statement.integer(0);
}

std::int64_t Connection::changes() const noexcept { return sqlite3_changes(handle_.get()); }

bool Connection::in_transaction() const noexcept { return sqlite3_get_autocommit(handle_.get()) == 0; }

std::string Connection::message(int code) const {
  // Without memory for a handle there is no text of its own.
  const char* words = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_.get());
  return path_.string() + ": " + words;
}

void Connection::fail(int code) const { throw Error(message(code), classify(code)); }

}  // namespace xasink::sqlite
