// Applies spool files, each with its marker in one local transaction, or removes them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "txn/resource.hpp"
#include "txn/staged/spool_folder.hpp"
#include "txn/staged/spool_reader.hpp"

namespace xasink::txn::staged {

class StagedFinisher final : public BranchFinisher {
 public:
  StagedFinisher(std::unique_ptr<Session> session, std::string resource, SpoolFolder folder);

  /// done: this call applied the rows. not_found: nothing is to be applied, because there is no file or because the
  /// marker is there (a leftover file is removed then); the marker tells which. held: somebody else is working on the
  /// file. Dies before the local commit: nothing. Dies after: the next call finds the marker and removes the file.
  /// \throws Error (corrupt) for a damaged file, which is kept; otherwise what the session throws: look again
  [[nodiscard]] FinishResult commit(const Committable& committable) override;
  /// Removes the file if it is this resource's. not_found also if its marker is there: it was committed then.
  [[nodiscard]] FinishResult rollback(const Xid& xid) override;
  /// This resource's `.prepared` files. One whose header can't be read is listed, too: an
  /// orphan can be rolled back by its name alone, a decided branch fails with the damage when it is committed.
  [[nodiscard]] std::vector<PreparedTransaction> list() override;
  [[nodiscard]] bool marker_present(const Xid& xid) override { return session_->marker_present(xid); }
  [[nodiscard]] std::uint64_t newest_marker(std::string_view owner) override;
  [[nodiscard]] std::uint64_t raise_epoch(std::string_view job, std::string_view owner, std::uint64_t epoch) override;
  std::uint64_t prune_markers(std::string_view owner, std::uint64_t through) override;
  std::size_t discard_unprepared(std::string_view job, std::string_view owner, std::uint64_t epoch) override;

 private:
  void ensure_bookkeeping();
  [[nodiscard]] bool marker_came_meanwhile(const Xid& xid) noexcept;
  /// \returns false if the marker was there already; nothing is applied then
  [[nodiscard]] bool apply(SpoolReader& reader, const Committable& committable);

  std::unique_ptr<Session> session_;
  std::string resource_;
  SpoolFolder folder_;
  bool bookkeeping_ = false;
};

}  // namespace xasink::txn::staged
