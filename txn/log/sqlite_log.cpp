#include "txn/log/sqlite_log.hpp"

#include <limits>
#include <mutex>

#include "txn/fault.hpp"
#include "txn/log/log_lock.hpp"
#include "txn/log/log_schema.hpp"
#include "txn/log/log_seal.hpp"
#include "txn/log/sqlite_handle.hpp"
#include "xasink/error.hpp"

namespace xasink::txn {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

std::int64_t to_micros(TimePoint at) {
  return std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count();
}
TimePoint from_micros(std::int64_t micros) {
  return TimePoint(std::chrono::duration_cast<TimePoint::duration>(std::chrono::microseconds(micros)));
}

SqliteHandle open_file(const std::filesystem::path& file, const std::string& job, LogAccess access) {
  const bool exclusive = access == LogAccess::exclusive;
  if (!std::filesystem::exists(file)) {
    // A log that vanished must not come back empty without a word: its -wal would be applied to the new file, too.
    if (std::filesystem::exists(file.string() + "-wal")) {
      throw Error(Category::corrupt, "the log " + file.string() + " is missing, but its " + file.string() + "-wal is there",
                  "put the log file back beside it; if the log was removed on purpose, remove the -wal file as well");
    }
    if (!exclusive) {
      throw Error(Category::preflight, "there is no log " + file.string() + " yet",
                  "run the job first, or check its `log:`");
    }
    create_log_file(file, job);
  }
  require_log_file(file);
  SqliteHandle database(file, SQLITE_OPEN_READWRITE);
  add_seal_function(database);
  check_log_file(database, job, exclusive);
  if (exclusive) {
    if (database.query_text("PRAGMA journal_mode = WAL") != "wal") {
      throw Error(Category::configuration, "the log " + file.string() + " can't use write-ahead logging",
                  "put the log on a local file system");
    }
    database.execute("PRAGMA synchronous = FULL");
  }
  return database;
}

class SqliteLog final : public TransactionLog {
 public:
  SqliteLog(const std::filesystem::path& file, const std::string& job, LogAccess access)
      : lock_(access == LogAccess::exclusive ? std::make_unique<LogLock>(file) : nullptr),
        database_(open_file(file, job, access)) {}

  LogIdentity identity() override {
    const std::lock_guard guard(mutex_);
    return read_identity();
  }

  LogIdentity raise_epoch(std::uint64_t reserve) override {
    XASINK_FAULT_POINT("log.raise_epoch.before");
    LogIdentity raised;
    {
      const std::lock_guard guard(mutex_);
      SqliteTransaction transaction(database_);
      const std::uint64_t found = read_identity().epoch;
      if (raised_ && found > *raised_) {
        throw FencedError("the log " + database_.file() + " is in epoch " + std::to_string(found) +
                          ", this process was in " + std::to_string(*raised_));
      }
      raised_ = found + 1;  // also if the answer to the commit is lost
      SqliteStatement(database_,
                      "UPDATE job SET epoch = epoch + 1, reserved_through = reserved_through + ?1, "
                      "seal = seal('job', job, owner, epoch + 1, reserved_through + ?1, created_at)")
          .bind(1, reserve)
          .run();
      raised = read_identity();
      transaction.commit();
    }
    XASINK_FAULT_POINT("log.raise_epoch.after");
    return raised;
  }

  void decide(std::uint64_t epoch, const Decision& decision, std::uint64_t reserve_through) override {
    XASINK_FAULT_POINT("log.decide.before");
    {
      const std::lock_guard guard(mutex_);
      SqliteTransaction transaction(database_);
      // The condition and the records are one transaction: an older incarnation finds its epoch gone and records nothing.
      update_reserved_.bind(1, reserve_through).bind(2, epoch).run();
      if (database_.changes() != 1) {
        throw FencedError("checkpoint " + std::to_string(decision.checkpoint) + " was not decided: the log " +
                          database_.file() + " is in epoch " + std::to_string(read_identity().epoch) + ", this process in " +
                          std::to_string(epoch));
      }
      insert_decision(epoch, decision);
      XASINK_FAULT_POINT("log.decide.inside");
      transaction.commit();
    }
    XASINK_FAULT_POINT("log.decide.after");
  }

  void record_outcomes(std::uint64_t checkpoint, std::span<const LoggedBranch> branches) override {
    XASINK_FAULT_POINT("log.outcomes.before");
    {
      const std::lock_guard guard(mutex_);
      const std::int64_t now = to_micros(std::chrono::system_clock::now());
      SqliteTransaction transaction(database_);
      for (const LoggedBranch& branch : branches) {
        update_branch_.bind(1, static_cast<std::int64_t>(branch.outcome)).bind_text(2, branch.evidence).bind(3, now);
        update_branch_.bind_text(4, branch.committable.xid.gid()).bind(5, checkpoint).run();
        if (database_.changes() != 1) {
          throw Error(Category::internal, "log " + database_.file() + ": checkpoint " + std::to_string(checkpoint) +
                                              " has no branch " + branch.committable.xid.gid());
        }
      }
      finish_checkpoint_.bind(1, now).bind(2, checkpoint).run();
      transaction.commit();
    }
    XASINK_FAULT_POINT("log.outcomes.after");
  }

  std::vector<LoggedCheckpoint> unfinished() override {
    const std::lock_guard guard(mutex_);
    return select_checkpoints("WHERE committed_at IS NULL ORDER BY checkpoint", std::numeric_limits<std::int64_t>::max(),
                              true);
  }

  std::optional<LoggedCheckpoint> last_decision() override {
    const std::lock_guard guard(mutex_);
    auto found = select_checkpoints("ORDER BY checkpoint DESC", 1, false);
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
  }

  bool decided(const Xid& xid) override {
    const std::lock_guard guard(mutex_);
    SqliteStatement select(database_, "SELECT 1 FROM branch WHERE gid = ?");
    return select.bind_text(1, xid.gid()).step();
  }

  std::vector<LoggedCheckpoint> recent(std::size_t limit) override {
    const std::lock_guard guard(mutex_);
    return select_checkpoints("ORDER BY checkpoint DESC", static_cast<std::int64_t>(limit), true);
  }

  void prune(std::uint64_t through) override {
    const std::lock_guard guard(mutex_);
    SqliteTransaction transaction(database_);
    // The newest decision stays: it holds the position.
    constexpr std::string_view kOld =
        "SELECT checkpoint FROM checkpoint WHERE checkpoint <= ?1 AND committed_at IS NOT NULL AND checkpoint < (SELECT "
        "max(checkpoint) FROM checkpoint)";
    SqliteStatement(database_, "DELETE FROM branch WHERE checkpoint IN (" + std::string(kOld) + ")").bind(1, through).run();
    SqliteStatement(database_, "DELETE FROM checkpoint WHERE checkpoint IN (" + std::string(kOld) + ")")
        .bind(1, through)
        .run();
    transaction.commit();
  }

  void audit(const AuditRecord& record) override {
    const std::lock_guard guard(mutex_);
    SqliteStatement insert(database_,
                           "INSERT INTO audit (at, actor, action, gid, seen, reason, result) VALUES (?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, to_micros(record.at)).bind_text(2, record.actor).bind_text(3, record.action).bind_text(4, record.xid);
    insert.bind_text(5, record.seen).bind_text(6, record.reason).bind_text(7, record.result).run();
  }

  std::vector<AuditRecord> audit_records(std::size_t limit) override {
    const std::lock_guard guard(mutex_);
    SqliteStatement select(
        database_, "SELECT at, actor, action, gid, seen, reason, result FROM audit ORDER BY id DESC LIMIT ?");
    select.bind(1, static_cast<std::int64_t>(limit));
    std::vector<AuditRecord> records;
    while (select.step()) {
      records.push_back({from_micros(select.integer(0)), select.text(1), select.text(2), select.text(3), select.text(4),
                         select.text(5), select.text(6)});
    }
    return records;
  }

 private:
  LogIdentity read_identity() {
    SqliteStatement select(database_, "SELECT job, owner, epoch, reserved_through FROM job WHERE id = 1");
    if (!select.step()) throw Error(Category::corrupt, "the log " + database_.file() + " is damaged: it names no job");
    return {select.text(0), select.text(1), select.unsigned_integer(2), select.unsigned_integer(3)};
  }

  void insert_decision(std::uint64_t epoch, const Decision& decision) {
    std::uint64_t rows = 0;
    for (const Committable& committable : decision.committables) rows += committable.rows;
    const std::int64_t now = to_micros(std::chrono::system_clock::now());
    insert_checkpoint_.bind(1, decision.checkpoint).bind(2, epoch).bind_text(3, decision.position);
    insert_checkpoint_.bind(4, std::int64_t{decision.final ? 1 : 0}).bind(5, rows);
    insert_checkpoint_.bind(6, std::uint64_t{decision.committables.size()}).bind(7, now);
    // A checkpoint without branches has nothing to finish.
    if (decision.committables.empty()) insert_checkpoint_.bind(8, now);
    insert_checkpoint_.run();
    for (const Committable& committable : decision.committables) {
      insert_branch_.bind_text(1, committable.xid.gid()).bind(2, decision.checkpoint);
      insert_branch_.bind_blob(3, committable.serialize()).run();
    }
  }

  std::vector<LoggedCheckpoint> select_checkpoints(const std::string& rest, std::int64_t limit, bool with_branches) {
    SqliteStatement select(database_,
                           "SELECT checkpoint, epoch, position, final, rows, decided_at, committed_at FROM checkpoint " + rest +
                               " LIMIT ?");
    select.bind(1, limit);
    std::vector<LoggedCheckpoint> found;
    while (select.step()) {
      LoggedCheckpoint checkpoint;
      checkpoint.checkpoint = select.unsigned_integer(0);
      checkpoint.epoch = select.unsigned_integer(1);
      checkpoint.position = select.text(2);
      checkpoint.final = select.integer(3) != 0;
      checkpoint.rows = select.unsigned_integer(4);
      checkpoint.decided_at = from_micros(select.integer(5));
      if (!select.is_null(6)) checkpoint.committed_at = from_micros(select.integer(6));
      if (with_branches) checkpoint.branches = select_branches(checkpoint.checkpoint);
      found.push_back(std::move(checkpoint));
    }
    return found;
  }

  std::vector<LoggedBranch> select_branches(std::uint64_t checkpoint) {
    SqliteStatement select(database_,
                           "SELECT committable, outcome, evidence FROM branch WHERE checkpoint = ? ORDER BY gid");
    select.bind(1, checkpoint);
    std::vector<LoggedBranch> branches;
    while (select.step()) {
      const std::int64_t outcome = select.integer(1);
      if (outcome < 0 || outcome > static_cast<std::int64_t>(BranchOutcome::lost)) {
        throw Error(Category::corrupt, "the log " + database_.file() + " is damaged: checkpoint " +
                                           std::to_string(checkpoint) + " has a branch with outcome " +
                                           std::to_string(outcome));
      }
      branches.push_back(
          {Committable::deserialize(select.text(0)), static_cast<BranchOutcome>(outcome), select.text(2)});
    }
    return branches;
  }

  std::unique_ptr<LogLock> lock_;
  std::mutex mutex_;
  std::optional<std::uint64_t> raised_;  // the highest epoch this object may have raised the log to
  SqliteHandle database_;
  // On the path of every checkpoint. What an UPDATE leaves alone goes into the seal as it is.
  SqliteStatement update_reserved_{database_,
                                   "UPDATE job SET reserved_through = max(reserved_through, ?1), seal = seal('job', job, "
                                   "owner, epoch, max(reserved_through, ?1), created_at) WHERE epoch = ?2"};
  SqliteStatement insert_checkpoint_{database_,
                                     "INSERT INTO checkpoint VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
                                     "seal('checkpoint', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8))"};
  SqliteStatement insert_branch_{database_,
                                 "INSERT INTO branch VALUES (?1, ?2, ?3, 0, '', NULL, "
                                 "seal('branch', ?1, ?2, ?3, 0, '', NULL))"};
  SqliteStatement update_branch_{database_,
                                 "UPDATE branch SET outcome = ?1, evidence = ?2, finished_at = ?3, seal = seal('branch', gid, "
                                 "checkpoint, committable, ?1, ?2, ?3) WHERE gid = ?4 AND checkpoint = ?5"};
  SqliteStatement finish_checkpoint_{
      database_,
      "UPDATE checkpoint SET committed_at = ?1, seal = seal('checkpoint', checkpoint, epoch, position, final, rows, "
      "branches, decided_at, ?1) WHERE checkpoint = ?2 AND committed_at IS NULL "
      "AND NOT EXISTS (SELECT 1 FROM branch WHERE checkpoint = ?2 AND outcome IN (0, 3))"};
};

}  // namespace

bool has_sqlite_log(const std::filesystem::path& file) {
  return std::filesystem::exists(file) || std::filesystem::exists(file.string() + "-wal");
}

std::unique_ptr<TransactionLog> open_sqlite_log(const std::filesystem::path& file, const std::string& job, LogAccess access) {
  // One spelling for one file, or two processes would lock two names.
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  std::error_code error;
  const std::filesystem::path known = std::filesystem::canonical(folder, error);
  if (error) {
    throw Error(Category::configuration, "the folder of the log " + file.string() + " can't be used: " + error.message(),
                "make the folder first, e.g. with install -d -m 700 " + folder.string());
  }
  std::filesystem::path path = known / file.filename();
  if (std::filesystem::is_symlink(path)) path = std::filesystem::weakly_canonical(path);
  return std::make_unique<SqliteLog>(path, job, access);
}

}  // namespace xasink::txn
