// What a database must offer. A driver implements these roles; txn/ uses nothing else of it.
//
// Verbs return outcomes; errors throw. A session that threw an error with session_usable == false is discarded, not used
// again. No type of a client library appears here.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "xasink/committable.hpp"
#include "xasink/row_batch.hpp"
#include "xasink/schema.hpp"
#include "xasink/xid.hpp"

namespace xasink {

/// What one server can do, found from the server, not from the URL.
struct Capabilities {
  bool two_phase = false;            ///< PREPARE/COMMIT PREPARED (XA) can be used now
  std::string two_phase_reason;      ///< why not, with the remedy, when two_phase is false
  bool detaches_on_prepare = false;  ///< any session may finish a branch while the preparing one lives
  bool session_per_branch = false;   ///< no new work on a session whose prepared branch is not finished
  bool parallel_commits = true;      ///< several transactions can be committed at a time (not in SQLite)
  std::string version;               ///< "PostgreSQL 15.20"
  std::string bulk_path;             ///< "binary COPY", "LOAD DATA LOCAL", "prepared INSERT"
};

/// A prepared transaction as the server lists it, ours or not.
struct PreparedTransaction {
  std::string gid;         ///< PostgreSQL's gid; gtrid + bqual elsewhere, in printable form
  std::optional<Xid> xid;  ///< set if the name is one of ours
  std::string owner_role;  ///< empty if the server doesn't tell
  std::string database;    ///< empty if the server doesn't tell
  std::optional<std::chrono::system_clock::time_point> prepared_at;
  bool finishable = true;  ///< this session's database and role can finish it
};

/// Answer of the second phase. Anything else (a lost connection, say) throws, and means: outcome unknown, look again.
enum class FinishOutcome : std::uint8_t {
  done,       ///< the server said so
  not_found,  ///< the server does not know the name. Says nothing about why: look for the marker
  held,       ///< the branch exists, but somebody else's session has it
};

struct FinishResult {
  FinishOutcome outcome = FinishOutcome::not_found;
  std::string evidence;  ///< the server's own words: command tag, error text, or the holder's session
};

/// A row written inside each branch, beside the data. It proves that the branch was committed.
struct Marker {
  Xid xid;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};

/// One connection. One thread at a time. Destroying a session never rolls a prepared branch back; an open branch that is
/// not prepared is gone with it.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  // --- a branch: begin, write..., write_marker, then prepare (two-phase) or commit (staged apply) or rollback ---

  /// Begins a branch. Dies before: nothing. Dies after, before prepare: the server rolls it back.
  virtual void begin(const Xid& xid) = 0;
  /// Sends rows in bulk to the table and columns of batch.schema(). All batches of a branch have the same schema. Any error
  /// poisons the branch: prepare and commit then refuse. The batch is not kept.
  /// \throws DataError naming file and line, if the server refuses a row and tells which
  virtual void write(const RowBatch& batch) = 0;
  /// Ends the bulk statement, checks that the server took every row that was sent, and inserts the marker.
  /// \returns false if a marker of this xid exists already (nothing inserted; only a staged apply may see this)
  [[nodiscard]] virtual bool write_marker(const Marker& marker) = 0;
  /// First phase. Counts only with the server's evidence, which is returned (the command tag on PostgreSQL).
  /// Dies before: gone. Dies after: the branch stays prepared until finished. Error or lost connection: unknown; recovery
  /// finds an orphan, if there is one.
  [[nodiscard]] virtual std::string prepare() = 0;
  /// Commits the open branch as a local transaction. Only the staged protocol calls this. A lost connection means unknown.
  virtual void commit() = 0;
  /// Gives the open branch up. Never throws: if it can't, the session becomes unusable, which has the same effect.
  virtual void rollback() noexcept = 0;
  /// From any thread, at any time in the session's life: makes a call in progress, and every later one but rollback(), fail
  /// soon. For a writer that waits for a lock or a server that does not answer.
  virtual void interrupt() noexcept {}
  /// Calls from now on fail as if the connection were lost once the server owes an answer and has said nothing for so long.
  /// Drivers have a limit of their own until then; one without a server has nothing to wait for.
  virtual void limit_silence(std::chrono::milliseconds /*limit*/) noexcept {}

  // --- second phase, from any session on the same database and role. \pre no open branch on this session -----------

  [[nodiscard]] virtual FinishResult commit_prepared(const Xid& xid) = 0;
  [[nodiscard]] virtual FinishResult rollback_prepared(const Xid& xid) = 0;
  /// Everything the server lists, all databases and owners this session may see.
  [[nodiscard]] virtual std::vector<PreparedTransaction> list_prepared() = 0;
  /// Reads committed state only.
  [[nodiscard]] virtual bool marker_present(const Xid& xid) = 0;
  /// The highest checkpoint of which a branch of the owner was committed here and its marker not pruned; 0 if there is none.
  /// Reads committed state only. \pre ensure_bookkeeping() returned, here or anywhere
  [[nodiscard]] virtual std::uint64_t newest_marker(std::string_view owner) = 0;

  // --- bookkeeping tables of the target -------------------------------------------------------------------------------

  /// Makes the marker and epoch tables if they are missing. Safe when several call it at once.
  virtual void ensure_bookkeeping() = 0;
  /// Keeps the highest epoch of (job, owner) at the target. \returns the highest epoch after the call: `epoch` if it was
  /// raised or equal, a larger one if the target has seen a newer incarnation. Durable when it returns.
  [[nodiscard]] virtual std::uint64_t raise_epoch(std::string_view job, std::string_view owner, std::uint64_t epoch) = 0;
  /// Deletes markers of the owner with checkpoint <= through, by key. \returns how many
  virtual std::uint64_t prune_markers(std::string_view owner, std::uint64_t through) = 0;

  /// False after an error that left the connection useless.
  [[nodiscard]] virtual bool usable() const noexcept = 0;
};

/// What preflight and the job need to know and make of the schema, on a connection of its own.
class Catalog {
 public:
  Catalog() = default;
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;
  virtual ~Catalog() = default;

  [[nodiscard]] virtual Capabilities capabilities() = 0;
  /// The columns of a table that rows can be written to, with their types (generated columns and identity ALWAYS left out).
  /// \returns empty if there is no such table
  /// \throws Error (preflight) naming the column if a column's type is none of ours and it has no default
  [[nodiscard]] virtual std::optional<TableSchema> describe(const std::string& table) = 0;
  /// CREATE TABLE from the schema if it is missing. `primary_key` may be empty.
  virtual void create_table(const TableSchema& schema, const std::vector<std::string>& primary_key) = 0;
};

/// Looks at the values of a batch without sending any. Made for one schema; one thread.
/// \throws DataError naming file, line and column of a value that Session::write would refuse
using RowCheck = std::function<void(const RowBatch&)>;

/// One kind of database. Stateless and thread-safe.
class Driver {
 public:
  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver() = default;

  /// `postgresql`, `sqlite`, …
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// True for URLs this driver serves, by their scheme.
  [[nodiscard]] virtual bool accepts(std::string_view url) const noexcept = 0;
  /// The URL in canonical form without password or options that hold secrets: names the resource in committables,
  /// messages and the log. \throws Error (configuration) if the URL can't be parsed
  [[nodiscard]] virtual std::string resource_name(const std::string& url) const = 0;
  /// The protocol used unless the job says otherwise.
  [[nodiscard]] virtual Protocol default_protocol() const noexcept = 0;

  /// \throws Error (connection, retryable) if the server can't be reached, (configuration) if it refuses the account
  [[nodiscard]] virtual std::unique_ptr<Session> connect(const std::string& url) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Catalog> open_catalog(const std::string& url) const = 0;
  /// For rows that are written only after their decision (staged): what can be refused by its value alone must be refused
  /// before. Empty if every value of the columns' types can be stored. \throws Error (preflight) if a column can't take its type
  [[nodiscard]] virtual RowCheck row_check(const std::string& /*url*/, const TableSchema& /*schema*/) const { return {}; }
};

/// The drivers of this build, by URL. \throws Error (configuration) naming the known schemes if none accepts the URL
class DriverRegistry {
 public:
  void add(std::unique_ptr<Driver> driver) { drivers_.push_back(std::move(driver)); }
  [[nodiscard]] const Driver& for_url(const std::string& url) const;

 private:
  std::vector<std::unique_ptr<Driver>> drivers_;
};

}  // namespace xasink
