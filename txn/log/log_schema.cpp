#include "txn/log/log_schema.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string_view>

#include "txn/log/log_seal.hpp"
#include "xasink/error.hpp"
#include "xasink/xid.hpp"

namespace xasink::txn {
namespace {

constexpr std::int64_t kApplicationId = 0x78617369;  // "xasi"

// One entry a version: the statements that lead from the version before to it. Entries that were released never change.
constexpr std::array<const char*, 1> kMigrations = {R"sql(
CREATE TABLE job (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  job TEXT NOT NULL,
  owner TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  reserved_through INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  seal INTEGER NOT NULL
) STRICT;
CREATE TABLE checkpoint (
  checkpoint INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  position TEXT NOT NULL,
  final INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  branches INTEGER NOT NULL,
  decided_at INTEGER NOT NULL,
  committed_at INTEGER,
  seal INTEGER NOT NULL
) STRICT;
CREATE INDEX checkpoint_unfinished ON checkpoint (checkpoint) WHERE committed_at IS NULL;
CREATE TABLE branch (
  gid TEXT PRIMARY KEY,
  checkpoint INTEGER NOT NULL,
  committable BLOB NOT NULL,
  outcome INTEGER NOT NULL,
  evidence TEXT NOT NULL,
  finished_at INTEGER,
  seal INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX branch_checkpoint ON branch (checkpoint);
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  gid TEXT NOT NULL,
  seen TEXT NOT NULL,
  reason TEXT NOT NULL,
  result TEXT NOT NULL
) STRICT;
)sql"};

constexpr const char* kKeep =
    "restore the log from a backup or call an operator; do not delete it: it alone knows which branches were decided";

[[noreturn]] void fail_damaged(const std::string& file, const std::string& how) {
  throw Error(Category::corrupt, "the log " + file + " is damaged: " + how, kKeep);
}

void migrate(SqliteHandle& database, std::int64_t from, std::size_t to = kMigrations.size()) {
  for (auto version = static_cast<std::size_t>(from); version < to; ++version) database.execute(kMigrations[version]);
  database.execute("PRAGMA user_version = " + std::to_string(to));
}

/// SQLite's own check in one line.
std::string state_of(SqliteHandle& database) {
  std::string state = database.query_text("PRAGMA integrity_check(1)");
  if (constexpr std::string_view kWhere = "*** in database main ***\n"; state.starts_with(kWhere)) {
    state.erase(0, kWhere.size());
  }
  return state.substr(0, state.find('\n'));
}

/// The text of the schema is read as SQL at each opening, and no check of SQLite's looks at it.
/// \returns what is not as the migrations make it; empty if nothing
std::string find_changed_schema(SqliteHandle& database, std::int64_t version) {
  SqliteHandle made(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  migrate(made, 0, static_cast<std::size_t>(version));
  SqliteStatement wanted(made, "SELECT name, type, tbl_name, coalesce(sql, '') FROM sqlite_schema");
  SqliteStatement found(
      database, "SELECT 1 FROM sqlite_schema WHERE name = ? AND type = ? AND tbl_name = ? AND coalesce(sql, '') = ?");
  while (wanted.step()) {
    for (int i = 0; i < 4; ++i) found.bind_text(i + 1, wanted.text(i));
    if (!found.step()) return wanted.text(1) + " " + wanted.text(0);
    found.reset();
  }
  return {};
}

void sync_path(const std::string& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0 || fsync(descriptor) != 0) {
    const std::string why = std::strerror(errno);
    if (descriptor >= 0) close(descriptor);
    throw Error(Category::io, "can't sync " + path + ": " + why, "look at the file system of the log");
  }
  close(descriptor);
}

}  // namespace

void create_log_file(const std::filesystem::path& file, const std::string& job) {
  const std::string draft = file.string() + ".new";
  std::filesystem::remove(draft);
  std::filesystem::remove(draft + "-journal");
  const int descriptor = open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    throw Error(Category::configuration, "can't make the log " + file.string() + ": " + std::strerror(errno),
                "the folder of the log must exist and be writable for this user");
  }
  close(descriptor);
  {
    SqliteHandle database(draft, SQLITE_OPEN_READWRITE);
    add_seal_function(database);
    database.execute("PRAGMA synchronous = FULL");
    SqliteTransaction transaction(database);
    migrate(database, 0);
    database.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    SqliteStatement insert(database, "INSERT INTO job VALUES (1, ?1, ?2, 0, 0, ?3, seal('job', ?1, ?2, 0, 0, ?3))");
    insert.bind_text(1, job).bind_text(2, make_owner());
    insert.bind(3, std::int64_t{std::chrono::duration_cast<std::chrono::microseconds>(now).count()}).run();
    transaction.commit();
  }
  sync_path(draft, O_RDWR);
  std::filesystem::rename(draft, file);
  sync_path(file.parent_path().string(), O_RDONLY | O_DIRECTORY);
}

void require_log_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::string begin(kMagic.size(), '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (!stream.is_open()) return;  // opening it says why
  if (begin != kMagic) fail_damaged(file.string(), stream.gcount() == 0 ? "it is empty" : "it is no SQLite file");
}

void check_log_file(SqliteHandle& database, const std::string& job, bool writable) {
  if (database.query_integer("PRAGMA application_id") != kApplicationId) {
    throw Error(Category::corrupt, "the file " + database.file() + " is not a log of xasink, or it is damaged",
                "check the `log:` of the job; if it is right, restore the file from a backup");
  }
  const std::int64_t version = database.query_integer("PRAGMA user_version");
  if (version > static_cast<std::int64_t>(kMigrations.size())) {
    throw Error(Category::preflight,
                "the log " + database.file() + " has version " + std::to_string(version) + ", this xasink knows versions up to " +
                    std::to_string(kMigrations.size()),
                "use the xasink that wrote it, or a newer one");
  }
  if (version < 1) fail_damaged(database.file(), "its version can't be read");
  if (const std::string state = state_of(database); state != "ok") fail_damaged(database.file(), state);
  if (const std::string changed = find_changed_schema(database, version); !changed.empty()) {
    fail_damaged(database.file(), changed + " is not as xasink makes it");
  }
  if (const std::string broken = find_broken_row(database); !broken.empty()) {
    fail_damaged(database.file(), broken + " is not as it was written, or is missing");
  }
  const std::string logged_job = database.query_text("SELECT job FROM job WHERE id = 1");
  if (!valid_owner(database.query_text("SELECT owner FROM job WHERE id = 1"))) {
    fail_damaged(database.file(), "it names no job");
  }
  if (logged_job != job) {
    throw Error(Category::preflight,
                "the log " + database.file() + " belongs to job \"" + logged_job + "\", not to \"" + job + "\"",
                "give each job a log of its own; a job that was renamed keeps its old name as long as it uses this log");
  }
  if (writable && version < static_cast<std::int64_t>(kMigrations.size())) {
    SqliteTransaction transaction(database);
    migrate(database, version);
    transaction.commit();
  }
}

}  // namespace xasink::txn
