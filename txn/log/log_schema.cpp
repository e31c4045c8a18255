#include "txn/log/log_schema.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

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
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE checkpoint (
  checkpoint INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  position TEXT NOT NULL,
  final INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  decided_at INTEGER NOT NULL,
  committed_at INTEGER
) STRICT;
CREATE INDEX checkpoint_unfinished ON checkpoint (checkpoint) WHERE committed_at IS NULL;
CREATE TABLE branch (
  gid TEXT PRIMARY KEY,
  checkpoint INTEGER NOT NULL,
  committable BLOB NOT NULL,
  outcome INTEGER NOT NULL,
  evidence TEXT NOT NULL,
  finished_at INTEGER
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

void migrate(SqliteHandle& database, std::int64_t from) {
  for (auto version = static_cast<std::size_t>(from); version < kMigrations.size(); ++version) {
    database.execute(kMigrations[version]);
  }
  database.execute("PRAGMA user_version = " + std::to_string(kMigrations.size()));
}

void sync_path(const std::string& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0 || fsync(descriptor) != 0) {
    const std::string why = std::strerror(errno);
    if (descriptor >= 0) close(descriptor);
    throw Error(Category::io, "can't sync " + path + ": " + why);
  }
  close(descriptor);
}

}  // namespace

void create_log_file(const std::filesystem::path& file, const std::string& job) {
  // A log that vanished must not come back empty without a word: its -wal would be applied to the new file, too.
  if (std::filesystem::exists(file.string() + "-wal")) {
    throw Error(Category::corrupt, "the log " + file.string() + " is missing, but its " + file.string() + "-wal is there",
                "put the log file back beside it; if the log was removed on purpose, remove the -wal file as well");
  }
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
    database.execute("PRAGMA synchronous = FULL");
    SqliteTransaction transaction(database);
    migrate(database, 0);
    database.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    SqliteStatement insert(database, "INSERT INTO job VALUES (1, ?, ?, 0, 0, ?)");
    insert.bind_text(1, job).bind_text(2, make_owner());
    insert.bind(3, std::int64_t{std::chrono::duration_cast<std::chrono::microseconds>(now).count()}).run();
    transaction.commit();
  }
  sync_path(draft, O_RDWR);
  std::filesystem::rename(draft, file);
  sync_path(file.parent_path().string(), O_RDONLY | O_DIRECTORY);
}

void check_log_file(SqliteHandle& database, const std::string& job, bool writable) {
  constexpr const char* kKeep =
      "restore the log from a backup or call an operator; do not delete it: it alone knows which branches were decided";
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
  const std::string state = database.query_text("PRAGMA quick_check(1)");
  if (version < 1 || state != "ok") {
    throw Error(Category::corrupt, "the log " + database.file() + " is damaged: " + state, kKeep);
  }
  const std::string logged_job = database.query_text("SELECT job FROM job WHERE id = 1");
  if (logged_job != job) {
    throw Error(Category::preflight,
                "the log " + database.file() + " belongs to job \"" + logged_job + "\", not to \"" + job + "\"",
                "give each job a log of its own; a job that was renamed keeps its old name as long as it uses this log");
  }
  if (!valid_owner(database.query_text("SELECT owner FROM job WHERE id = 1"))) {
    throw Error(Category::corrupt, "the log " + database.file() + " is damaged: its owner tag can't be read", kKeep);
  }
  if (writable && version < static_cast<std::int64_t>(kMigrations.size())) {
    SqliteTransaction transaction(database);
    migrate(database, version);
    transaction.commit();
  }
}

}  // namespace xasink::txn
