#include "drivers/sqlite/session.hpp"

#include <limits>
#include <utility>

#include "drivers/sqlite/dialect.hpp"
#include "xasink/error.hpp"

namespace xasink::sqlite {
namespace {

[[noreturn]] void no_two_phase() {
  throw Error(Category::preflight, "SQLite has no two-phase commit", "use the staged protocol for this target");
}

std::int64_t to_signed(std::uint64_t value, const char* what) {
  if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    throw Error(Category::usage, std::string(what) + " " + std::to_string(value) + " does not fit a signed integer");
  }
  return static_cast<std::int64_t>(value);
}

/// Binds the marker's key to parameters 1 to 5.
void bind_key(Statement& statement, const Xid& xid) {
  statement.bind(1, std::string_view(xid.owner))
      .bind(2, to_signed(xid.checkpoint, "checkpoint"))
      .bind(3, std::int64_t{xid.writer})
      .bind(4, std::int64_t{xid.part})
      .bind(5, to_signed(xid.epoch, "epoch"));
}

}  // namespace

SqliteSession::SqliteSession(std::filesystem::path path) : connection_(std::move(path), Connection::Mode::existing) {}

void SqliteSession::require(State state, const char* verb) const {
  if (state_ == state) return;
  const auto name = [](State s) {
    switch (s) {
      case State::idle: return "there is no open branch";
      case State::open: return "a branch is open";
      case State::marked: return "the branch has its marker already";
      case State::poisoned: return "the branch failed and can only be rolled back";
    }
    return "";
  };
  ErrorDetails details;
  details.category = Category::usage;
  details.session_usable = usable_;
  if (state_ != State::idle) details.xid = xid_.gid();
  throw Error(std::string(verb) + ": " + name(state_), std::move(details));
}

template <typename Verb>
auto SqliteSession::guarded(Verb verb) {
  try {
    return verb();
  } catch (const Error& error) {
    if (state_ != State::idle) state_ = State::poisoned;
    if (!error.details().session_usable) usable_ = false;
    throw;
  } catch (...) {
    if (state_ != State::idle) state_ = State::poisoned;
    throw;
  }
}

template <typename Body>
auto SqliteSession::in_transaction(Body body) {
  return guarded([&] {
    connection_.execute("BEGIN IMMEDIATE");
    try {
      auto result = body();
      connection_.execute("COMMIT");
      return result;
    } catch (...) {
      rollback();
      throw;
    }
  });
}

void SqliteSession::begin(const Xid& xid) {
  require(State::idle, "begin");
  guarded([&] { connection_.execute("BEGIN IMMEDIATE"); });
  xid_ = xid;
  state_ = State::open;
}

void SqliteSession::write(const RowBatch& batch) {
  require(State::open, "write");
  guarded([&] {
    if (!bulk_) bulk_.emplace(connection_, batch.shared_schema());
    bulk_->write(batch);
  });
}

bool SqliteSession::write_marker(const Marker& marker) {
  require(State::open, "write_marker");
  return guarded([&] {
    const std::uint64_t taken = bulk_ ? bulk_->rows() : 0;
    bulk_.reset();
    if (marker.xid != xid_ || marker.rows != taken) {
      throw Error(Category::internal, "the marker of " + marker.xid.gid() + " with " + std::to_string(marker.rows) +
                                          " rows does not fit branch " + xid_.gid() + " with " + std::to_string(taken));
    }
    // Only a duplicate key means "there already": other refusals must stay errors, so no OR IGNORE.
    Statement insert = connection_.prepare(
        "INSERT INTO main.xasink_markers (owner, checkpoint, writer, part, epoch, job, \"rows\", bytes, written_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"
        " ON CONFLICT (owner, checkpoint, writer, part, epoch) DO NOTHING");
    bind_key(insert, marker.xid);
    insert.bind(6, std::string_view(marker.xid.job))
        .bind(7, to_signed(marker.rows, "row count"))
        .bind(8, to_signed(marker.bytes, "byte count"))
        .run();
    const bool inserted = connection_.changes() == 1;
    state_ = inserted ? State::marked : State::poisoned;
    return inserted;
  });
}

std::string SqliteSession::prepare() { no_two_phase(); }

void SqliteSession::commit() {
  require(State::marked, "commit");
  guarded([&] { connection_.execute("COMMIT"); });
  state_ = State::idle;
}

void SqliteSession::rollback() noexcept {
  bulk_.reset();
  state_ = State::idle;
  // Some errors end the transaction by themselves.
  if (!connection_.in_transaction()) return;
  try {
    connection_.execute("ROLLBACK");
  } catch (const std::exception&) {
    usable_ = false;
  }
}

FinishResult SqliteSession::commit_prepared(const Xid& /*xid*/) { no_two_phase(); }

FinishResult SqliteSession::rollback_prepared(const Xid& /*xid*/) { no_two_phase(); }

std::vector<PreparedTransaction> SqliteSession::list_prepared() { return {}; }

bool SqliteSession::bookkeeping_exists() const {
  return connection_.query_integer(
             "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name IN ('xasink_markers', "
             "'xasink_epochs')") == 2;
}

bool SqliteSession::marker_present(const Xid& xid) {
  require(State::idle, "marker_present");
  return guarded([&] {
    if (!bookkeeping_exists()) return false;
    Statement select = connection_.prepare(
        "SELECT 1 FROM main.xasink_markers WHERE owner = ?1 AND checkpoint = ?2 AND writer = ?3 AND part = ?4 AND "
        "epoch = ?5");
    bind_key(select, xid);
    return select.step();
  });
}

std::uint64_t SqliteSession::newest_marker(std::string_view owner) {
  require(State::idle, "newest_marker");
  return guarded([&] {
    Statement select =
        connection_.prepare("SELECT coalesce(max(checkpoint), 0) FROM main.xasink_markers WHERE owner = ?1");
    select.bind(1, owner);
    return select.step() ? static_cast<std::uint64_t>(select.integer(0)) : 0;
  });
}

void SqliteSession::ensure_bookkeeping() {
  require(State::idle, "ensure_bookkeeping");
  // Looking first spares the write lock, for which another writer's long transaction may have to be waited out.
  guarded([&] {
    if (bookkeeping_exists()) return;
    in_transaction([&] {
      connection_.execute(bookkeeping_statements());
      return true;
    });
  });
}

std::uint64_t SqliteSession::raise_epoch(std::string_view job, std::string_view owner, std::uint64_t epoch) {
  require(State::idle, "raise_epoch");
  return in_transaction([&] {
    Statement raise = connection_.prepare(
        "INSERT INTO main.xasink_epochs (owner, job, epoch) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (owner) DO UPDATE SET epoch = max(epoch, excluded.epoch) RETURNING epoch");
    raise.bind(1, owner).bind(2, job).bind(3, to_signed(epoch, "epoch"));
    std::uint64_t highest = 0;
    while (raise.step()) highest = static_cast<std::uint64_t>(raise.integer(0));
    return highest;
  });
}

std::uint64_t SqliteSession::prune_markers(std::string_view owner, std::uint64_t through) {
  require(State::idle, "prune_markers");
  if (!bookkeeping_exists()) return 0;
  return in_transaction([&] {
    Statement remove = connection_.prepare("DELETE FROM main.xasink_markers WHERE owner = ?1 AND checkpoint <= ?2");
    remove.bind(1, owner).bind(2, to_signed(through, "checkpoint")).run();
    return static_cast<std::uint64_t>(connection_.changes());
  });
}

}  // namespace xasink::sqlite
