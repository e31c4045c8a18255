#include "txn/staged/staged_finisher.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "txn/fault.hpp"
#include "txn/staged/file.hpp"

namespace xasink::txn::staged {
namespace {

/// Where the branch's file is: where the committable says, or, if the folder was moved since, in this folder.
std::optional<File> open_spool(const SpoolFolder& folder, const Committable& committable) {
  const std::filesystem::path here = folder.prepared(committable.xid);
  const std::filesystem::path said = committable.spool;
  if (!said.empty() && said != here) {
    if (said.filename() != here.filename()) {
      throw Error(Category::usage, "spool file " + said.string() + " is not that of branch " + committable.xid.gid());
    }
    if (auto file = File::open(said)) return file;
  }
  return File::open(here);
}

/// \pre this object's caller holds the file's lock
void remove_spool(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw io_error("remove", path, errno);
  sync_folder(path.parent_path());
}

/// Empty if it is damaged. The name alone then tells whose branch it was, which is enough to roll it back. Where it was
/// to go is not known: if several targets share the folder, each of them lists it.
std::optional<SpoolHeader> header_of(File file) {
  try {
    return SpoolReader(std::move(file)).header();
  } catch (const Error& error) {
    if (error.category() != Category::corrupt) throw;
    return std::nullopt;
  }
}

FinishResult held(const std::filesystem::path& path) {
  return {FinishOutcome::held, "somebody else is working on " + path.string()};
}

FinishResult not_found(std::string evidence) { return {FinishOutcome::not_found, std::move(evidence)}; }

}  // namespace

StagedFinisher::StagedFinisher(std::unique_ptr<Session> session, std::string resource, SpoolFolder folder)
    : session_(std::move(session)), resource_(std::move(resource)), folder_(std::move(folder)) {}

void StagedFinisher::ensure_bookkeeping() {
  if (bookkeeping_) return;
  session_->ensure_bookkeeping();
  bookkeeping_ = true;
}

FinishResult StagedFinisher::commit(const Committable& committable) {
  auto file = open_spool(folder_, committable);
  if (!file) return not_found("there is no spool file " + folder_.prepared(committable.xid).string());
  const std::filesystem::path path = file->path();
  if (!file->try_lock()) return held(path);
  if (!file->linked()) return not_found("spool file " + path.string() + " was removed a moment ago");
  // From here on nobody else applies or removes the file. It stays locked until this function is left.
  ensure_bookkeeping();
  const std::string marked = "its marker is there; the leftover spool file " + path.string() + " is removed";
  if (session_->marker_present(committable.xid)) {
    remove_spool(path);
    return not_found(marked);
  }
  SpoolReader reader(std::move(*file));
  bool applied = false;
  try {
    applied = apply(reader, committable);
  } catch (const Error&) {
    session_->rollback();
    // An earlier attempt whose commit was still on its way, its session lost, makes this one fail on a duplicate row.
    if (!marker_came_meanwhile(committable.xid)) throw;
  }
  if (!applied) {
    session_->rollback();
    remove_spool(path);
    return not_found(marked);
  }
  XASINK_FAULT_POINT("staged.committed");
  FinishResult done{FinishOutcome::done, "applied " + std::to_string(committable.rows) + " rows and the marker from " +
                                             path.string() + " in one transaction"};
  try {
    remove_spool(path);
  } catch (const Error& error) {
    // The branch is committed all the same; whoever sees the file later finds the marker.
    done.evidence += std::string("; ") + error.what();
  }
  XASINK_FAULT_POINT("staged.removed");
  return done;
}

bool StagedFinisher::marker_came_meanwhile(const Xid& xid) noexcept {
  try {
    return session_->usable() && session_->marker_present(xid);
  } catch (const std::exception&) {
    return false;
  }
}

bool StagedFinisher::apply(SpoolReader& reader, const Committable& committable) {
  const SpoolHeader& header = reader.header();
  if (header.xid != committable.xid || header.resource != resource_ || committable.resource != resource_ ||
      header.schema.table != committable.table) {
    throw Error(Category::corrupt,
                "the spool file of branch " + committable.xid.gid() + " is for table " + header.schema.table + " of " +
                    header.resource + ", the log has table " + committable.table + " of " + committable.resource,
                "give back the spool folder and the log that belong together");
  }
  XASINK_FAULT_POINT("staged.before_apply");
  session_->begin(committable.xid);
  XASINK_FAULT_POINT("staged.apply_begun");
  RowBatch batch(reader.schema());
  while (reader.next(batch)) session_->write(batch);
  XASINK_FAULT_POINT("staged.rows_written");
  const SpoolFooter& footer = reader.footer();
  if (footer.rows != committable.rows || footer.bytes != committable.bytes) {
    throw Error(Category::corrupt,
                "the spool file of branch " + committable.xid.gid() + " has " + std::to_string(footer.rows) +
                    " rows, the log says " + std::to_string(committable.rows),
                "give back the spool folder and the log that belong together");
  }
  if (!session_->write_marker(Marker{committable.xid, footer.rows, footer.bytes})) return false;
  XASINK_FAULT_POINT("staged.marker_written");
  session_->commit();
  return true;
}

FinishResult StagedFinisher::rollback(const Xid& xid) {
  const std::filesystem::path path = folder_.prepared(xid);
  auto file = File::open(path);
  if (!file) return not_found("there is no spool file " + path.string());
  if (!file->try_lock()) return held(path);
  if (!file->linked()) return not_found("spool file " + path.string() + " was removed a moment ago");
  auto opened_again = File::open(path);  // to read; the other one holds the lock until this function is left
  if (!opened_again) return not_found("spool file " + path.string() + " was removed a moment ago");
  const auto header = header_of(std::move(*opened_again));
  if (header && (header->resource != resource_ || header->xid != xid)) {
    return not_found("spool file " + path.string() + " is for " + header->resource);
  }
  if (session_->marker_present(xid)) {
    remove_spool(path);
    return not_found("it was committed: its marker is there; the leftover spool file " + path.string() + " is removed");
  }
  XASINK_FAULT_POINT("staged.before_rollback");
  remove_spool(path);
  XASINK_FAULT_POINT("staged.rolled_back");
  return {FinishOutcome::done, "removed spool file " + path.string()};
}

std::vector<PreparedTransaction> StagedFinisher::list() {
  std::vector<PreparedTransaction> found;
  for (SpoolFolder::Entry& entry : folder_.prepared_files()) {
    auto file = File::open(entry.path);
    if (!file) continue;  // finished since the folder was read
    PreparedTransaction transaction;
    transaction.gid = entry.xid.gid();
    transaction.prepared_at = file->modified();
    if (const auto header = header_of(std::move(*file))) {
      if (header->resource != resource_) continue;
      transaction.database = resource_;
      transaction.finishable = header->xid == entry.xid;
    }
    transaction.xid = std::move(entry.xid);
    found.push_back(std::move(transaction));
  }
  return found;
}

std::uint64_t StagedFinisher::newest_marker(std::string_view owner) {
  ensure_bookkeeping();
  return session_->newest_marker(owner);
}

std::uint64_t StagedFinisher::raise_epoch(std::string_view job, std::string_view owner, std::uint64_t epoch) {
  ensure_bookkeeping();
  return session_->raise_epoch(job, owner, epoch);
}

std::uint64_t StagedFinisher::prune_markers(std::string_view owner, std::uint64_t through) {
  return session_->prune_markers(owner, through);
}

std::size_t StagedFinisher::discard_unprepared(std::string_view job, std::string_view owner, std::uint64_t epoch) {
  std::size_t removed = 0;
  for (const SpoolFolder::Entry& entry : folder_.in_progress_files()) {
    if (entry.xid.job != job || entry.xid.owner != owner || entry.xid.epoch >= epoch) continue;
    const auto file = File::open(entry.path);
    // A writer holds the lock until its file has the other name: who has the lock and finds this name still there
    // removes a file that nobody will ever finish.
    if (!file || !file->try_lock() || !std::filesystem::exists(entry.path)) continue;
    remove_spool(entry.path);
    ++removed;
  }
  return removed;
}

}  // namespace xasink::txn::staged
