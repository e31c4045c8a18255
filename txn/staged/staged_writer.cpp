#include "txn/staged/staged_writer.hpp"

#include <utility>

namespace xasink::txn::staged {
namespace {

[[noreturn]] void wrong_order(const std::string& what, const std::optional<Xid>& xid) {
  ErrorDetails details;
  details.category = Category::usage;
  details.session_usable = true;
  if (xid) details.xid = xid->gid();
  throw Error(what, std::move(details));
}

/// \throws DataError naming file, line and column of the first NULL where none may be
void check_nulls(const RowBatch& batch) {
  const TableSchema& schema = batch.schema();
  for (std::size_t column = 0; column < schema.columns.size(); ++column) {
    if (schema.columns[column].nullable) continue;
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      if (batch.row(row)[column].null == 0) continue;
      ErrorDetails details;
      details.category = Category::data;
      details.session_usable = true;
      details.hint = "give a value, or let the column take NULL";
      DataError::Origin origin;
      if (batch.file() != nullptr) origin.file = *batch.file();
      origin.line = batch.line(row);
      origin.column = schema.columns[column].name;
      const std::string where = origin.file.empty() ? "" : origin.file + ":" + std::to_string(origin.line) + ": ";
      const std::string message = where + "column " + origin.column + " of table " + schema.table + " is NOT NULL";
      throw DataError(message, std::move(details), std::move(origin));
    }
  }
}

}  // namespace

StagedWriter::StagedWriter(const Driver& driver, std::string url, std::string resource, const SpoolFolder& folder)
    : driver_(driver), url_(std::move(url)), resource_(std::move(resource)), folder_(folder) {}

void StagedWriter::begin(const Xid& xid) {
  if (xid_) wrong_order("begin: a branch is open", xid_);
  xid_ = xid;
  prepared_.clear();
}

void StagedWriter::write(const RowBatch& batch) {
  if (!xid_) wrong_order("write: there is no open branch", xid_);
  if (poisoned_) wrong_order("write: the branch failed and can only be rolled back", xid_);
  try {
    if (file_ != nullptr && batch.shared_schema() != schema_ && batch.schema() != *schema_) {
      wrong_order("write: a batch for other columns than the branch's", xid_);
    }
    check_values(batch);
    if (file_ == nullptr) file_ = std::make_unique<SpoolWriter>(folder_, SpoolHeader{*xid_, resource_, batch.schema()});
    file_->append(batch);
  } catch (...) {
    poisoned_ = true;
    file_.reset();
    throw;
  }
}

void StagedWriter::check_values(const RowBatch& batch) {
  if (schema_ == nullptr || (batch.shared_schema() != schema_ && batch.schema() != *schema_)) {
    check_ = driver_.row_check(url_, batch.schema());
    schema_ = batch.shared_schema();
  }
  check_nulls(batch);
  if (check_) check_(batch);
}

void StagedWriter::prepare(const Marker& marker) {
  if (!xid_) wrong_order("prepare: there is no open branch", xid_);
  if (poisoned_) wrong_order("prepare: the branch failed and can only be rolled back", xid_);
  if (file_ == nullptr) wrong_order("prepare: the branch has no rows", xid_);
  if (marker.xid != *xid_ || marker.rows != file_->rows() || marker.bytes != file_->bytes()) {
    poisoned_ = true;
    throw Error(Category::internal, "the marker of " + marker.xid.gid() + " with " + std::to_string(marker.rows) +
                                        " rows does not fit branch " + xid_->gid() + " with " +
                                        std::to_string(file_->rows()));
  }
  try {
    prepared_ = file_->finish().string();
  } catch (...) {
    // What is renamed already stays: it is an orphan, whether or not the name reached the disk.
    poisoned_ = true;
    file_.reset();
    throw;
  }
  file_.reset();
  xid_.reset();
}

void StagedWriter::rollback() noexcept {
  file_.reset();
  xid_.reset();
  poisoned_ = false;
}

}  // namespace xasink::txn::staged
