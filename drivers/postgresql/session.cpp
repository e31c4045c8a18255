#include "drivers/postgresql/session.hpp"

#include <chrono>
#include <limits>

#include "drivers/postgresql/dialect.hpp"

namespace xasink::postgresql {
namespace {

std::string bigint(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw Error(Category::usage, "the number " + std::to_string(value) + " is too large for the bookkeeping tables");
  }
  return std::to_string(value);
}

Error with_xid(const Error& error, const Xid& xid) {
  ErrorDetails details = error.details();
  details.xid = xid.gid();
  return Error(error.what(), details);
}

// 42P01 here means that the bookkeeping was never made, or that search_path no longer leads to it.
Error about_bookkeeping(const Connection& connection, const Result& result, std::string_view doing) {
  const ServerError error = connection.error_of(result);
  ErrorDetails details = map_error(error);
  if (error.sqlstate == "42P01") {
    details.hint = "put the schema with xasink_markers and xasink_epochs into the search_path of the role of the URL";
  } else if (error.sqlstate == "42501") {
    details.hint =
        "GRANT SELECT, INSERT, UPDATE, DELETE ON xasink_markers, xasink_epochs to the role of the URL, or use the role "
        "that made them";
  }
  return Error(connection.resource() + ": " + std::string(doing) + ": " + in_one_line(error), details);
}

}  // namespace

PostgresqlSession::PostgresqlSession(const Conninfo& info) : connection_(Connection::open(info)), bulk_(connection_) {}

std::string_view PostgresqlSession::in_words(Branch branch) noexcept {
  switch (branch) {
    case Branch::none: return "no branch is open";
    case Branch::open: return "the branch is open and has no marker yet";
    case Branch::marked: return "the branch has its marker";
    case Branch::poisoned: return "an error has poisoned the branch";
  }
  return "";
}

void PostgresqlSession::require(Branch wanted, std::string_view call) const {
  if (branch_ == wanted) return;
  ErrorDetails details;
  details.category = Category::usage;
  details.session_usable = usable();
  details.branch_usable = branch_ == Branch::open || branch_ == Branch::marked;
  if (branch_ != Branch::none) details.xid = xid_.gid();
  details.hint = branch_ == Branch::poisoned ? "roll the branch back" : "";
  throw Error("wrong order of calls: " + std::string(call) + ", but " + std::string(in_words(branch_)), details);
}

// Any error inside a branch poisons it: the server may have undone a part of it, and a later prepare must not count.
template <typename Step>
auto PostgresqlSession::in_branch(Step step) {
  try {
    return step();
  } catch (...) {
    branch_ = Branch::poisoned;
    throw;
  }
}

void PostgresqlSession::begin(const Xid& xid) {
  require(Branch::none, "begin");
  connection_.exec("BEGIN", "beginning a branch");
  xid_ = xid;
  branch_ = Branch::open;
}

void PostgresqlSession::write(const RowBatch& batch) {
  require(Branch::open, "write");
  in_branch([&] { bulk_.write(batch); });
}

bool PostgresqlSession::write_marker(const Marker& marker) {
  require(Branch::open, "write_marker");
  return in_branch([&] {
    if (marker.xid != xid_) throw Error(Category::usage, "the marker is of another branch: " + marker.xid.gid());
    const std::uint64_t rows = bulk_.finish();
    if (rows != marker.rows) {
      throw Error(Category::usage, "the marker of " + marker.xid.gid() + " speaks of " + std::to_string(marker.rows) +
                                       " rows, the branch has " + std::to_string(rows));
    }
    const Xid& xid = marker.xid;
    const Result result =
        connection_.try_exec(kInsertMarker, {xid.owner, bigint(xid.checkpoint), bigint(xid.writer), bigint(xid.part),
                                             bigint(xid.epoch), xid.job, bigint(marker.rows), bigint(marker.bytes)});
    if (!result.ok()) throw about_bookkeeping(connection_, result, "writing the marker");
    const bool inserted = result.touched() == 1;
    // Rows whose marker is there already are there already, too.
    branch_ = inserted ? Branch::marked : Branch::poisoned;
    return inserted;
  });
}

std::string PostgresqlSession::prepare() {
  require(Branch::marked, "prepare");
  return in_branch([&] {
    const std::string gid = xid_.gid();
    const std::string doing = "preparing " + gid;
    const Result result = connection_.try_exec("PREPARE TRANSACTION " + quote_literal(gid));
    if (!result.ok()) throw with_xid(connection_.as_error(connection_.error_of(result), doing), xid_);
    // In a failed transaction the server answers with success and the tag ROLLBACK, and nothing is prepared.
    std::string tag = result.tag();
    if (tag != "PREPARE TRANSACTION") {
      ErrorDetails details;
      details.category = Category::server;
      details.retryable = true;
      details.session_usable = true;
      details.xid = gid;
      throw Error(connection_.resource() + ": " + doing + ": the server answered '" + tag + "': the branch had failed",
                  details);
    }
    branch_ = Branch::none;
    return tag;
  });
}

void PostgresqlSession::commit() {
  require(Branch::marked, "commit");
  in_branch([&] {
    const std::string doing = "committing " + xid_.gid();
    const Result result = connection_.try_exec("COMMIT");
    if (!result.ok()) throw with_xid(connection_.as_error(connection_.error_of(result), doing), xid_);
    if (result.tag() != "COMMIT") {
      ErrorDetails details;
      details.category = Category::server;
      details.retryable = true;
      details.session_usable = true;
      details.xid = xid_.gid();
      throw Error(
          connection_.resource() + ": " + doing + ": the server answered '" + result.tag() + "': the branch had failed",
          details);
    }
    branch_ = Branch::none;
  });
}

void PostgresqlSession::rollback() noexcept {
  if (branch_ == Branch::none) return;
  bulk_.abandon();
  branch_ = Branch::none;
  try {
    const Result result = connection_.try_exec("ROLLBACK");
    if (!result.ok() || PQtransactionStatus(connection_.raw()) != PQTRANS_IDLE) broken_ = true;
  } catch (const std::exception&) {
    broken_ = true;
  }
}

FinishResult PostgresqlSession::commit_prepared(const Xid& xid) { return finish("COMMIT PREPARED", xid); }

FinishResult PostgresqlSession::rollback_prepared(const Xid& xid) { return finish("ROLLBACK PREPARED", xid); }

FinishResult PostgresqlSession::finish(std::string_view verb, const Xid& xid) {
  require(Branch::none, verb);
  const std::string gid = xid.gid();
  const std::string doing = std::string(verb) + " " + gid;
  const Result result = connection_.try_exec(std::string(verb) + " " + quote_literal(gid));
  if (result.ok()) {
    if (result.tag() == verb) return {FinishOutcome::done, result.tag()};
    ErrorDetails details;
    details.category = Category::server;
    details.xid = gid;
    throw Error(connection_.resource() + ": " + doing + ": the server answered '" + result.tag() + "'", details);
  }
  const ServerError error = connection_.error_of(result);
  if (error.connection_ok && error.sqlstate == "42704") return {FinishOutcome::not_found, in_one_line(error)};
  if (error.connection_ok && is_busy(error)) return {FinishOutcome::held, in_one_line(error)};
  throw with_xid(connection_.as_error(error, doing), xid);
}

std::vector<PreparedTransaction> PostgresqlSession::list_prepared() {
  require(Branch::none, "list_prepared");
  const Result result = connection_.exec(kListPrepared, "listing prepared transactions");
  std::vector<PreparedTransaction> out;
  for (int row = 0; row < result.rows(); ++row) {
    PreparedTransaction transaction;
    transaction.gid = result.text(row, 0).value_or("");
    transaction.xid = Xid::parse_gid(transaction.gid);
    transaction.owner_role = result.text(row, 1).value_or("");
    transaction.database = result.text(row, 2).value_or("");
    if (const auto micros = result.text(row, 3)) {
      transaction.prepared_at =
          std::chrono::system_clock::time_point(std::chrono::duration_cast<std::chrono::system_clock::duration>(
              std::chrono::microseconds(std::stoll(*micros))));
    }
    transaction.finishable = result.text(row, 4) == "t";
    out.push_back(std::move(transaction));
  }
  return out;
}

bool PostgresqlSession::marker_present(const Xid& xid) {
  require(Branch::none, "marker_present");
  const Result result = connection_.try_exec(kFindMarker, {xid.owner, bigint(xid.checkpoint), bigint(xid.writer),
                                                           bigint(xid.part), bigint(xid.epoch), xid.job});
  if (!result.ok()) throw about_bookkeeping(connection_, result, "looking for the marker of " + xid.gid());
  return result.rows() == 1;
}

std::uint64_t PostgresqlSession::newest_marker(std::string_view owner) {
  require(Branch::none, "newest_marker");
  const Result result = connection_.try_exec(kNewestMarker, {std::string(owner)});
  if (!result.ok()) throw about_bookkeeping(connection_, result, "looking for the newest marker");
  return std::stoull(result.text(0, 0).value());
}

void PostgresqlSession::ensure_bookkeeping() {
  require(Branch::none, "ensure_bookkeeping");
  const Result there = connection_.exec(kBookkeepingExists, "looking for the bookkeeping tables");
  if (there.text(0, 0) == "t") return;
  if (!there.text(0, 1)) {
    throw Error(Category::preflight,
                connection_.resource() + ": no schema of search_path exists to make the bookkeeping tables in",
                "create the schema, or set search_path for this role");
  }
  // One implicit transaction: the lock is held until the tables are there for everyone, or nothing was made.
  const std::string sql = std::string(kLockDdl) + "; " + kCreateMarkers + "; " + kCreateEpochs;
  const Result made = connection_.try_exec(sql);
  if (made.ok()) return;
  const ServerError error = connection_.error_of(made);
  ErrorDetails details = map_error(error);
  if (error.sqlstate == "42501") {
    details.hint = "GRANT CREATE ON SCHEMA " + quote_identifier(*there.text(0, 1)) +
                   " to the role of the URL, or have xasink_markers and xasink_epochs made for it by an administrator";
  }
  throw Error(connection_.resource() + ": making the bookkeeping tables: " + in_one_line(error), details);
}

std::uint64_t PostgresqlSession::raise_epoch(std::string_view job, std::string_view owner, std::uint64_t epoch) {
  require(Branch::none, "raise_epoch");
  const Result result = connection_.try_exec(kRaiseEpoch, {std::string(owner), std::string(job), bigint(epoch)});
  if (!result.ok()) throw about_bookkeeping(connection_, result, "raising the epoch of " + std::string(job));
  return std::stoull(result.text(0, 0).value());
}

std::uint64_t PostgresqlSession::prune_markers(std::string_view owner, std::uint64_t through) {
  require(Branch::none, "prune_markers");
  const Result result = connection_.try_exec(kPruneMarkers, {std::string(owner), bigint(through)});
  if (!result.ok()) throw about_bookkeeping(connection_, result, "pruning markers");
  return result.touched();
}

bool PostgresqlSession::usable() const noexcept { return !broken_ && connection_.alive(); }

}  // namespace xasink::postgresql
