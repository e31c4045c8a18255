// Branches as spool files.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "txn/resource.hpp"
#include "txn/staged/spool_folder.hpp"
#include "txn/staged/spool_writer.hpp"

namespace xasink::txn::staged {

/// No connection is held: the database may be away while rows are spooled, but for a look at its columns at the first
/// write where the driver has values to refuse.
class StagedWriter final : public BranchWriter {
 public:
  /// \pre driver outlives the writer
  StagedWriter(const Driver& driver, std::string url, std::string resource, const SpoolFolder& folder);

  void begin(const Xid& xid) override;
  /// \throws DataError for a value that the target would refuse when the branch is applied, which is after its decision
  void write(const RowBatch& batch) override;
  /// \pre the branch has rows
  void prepare(const Marker& marker) override;
  void rollback() noexcept override;
  [[nodiscard]] std::string spool() const override { return prepared_; }

 private:
  void check_values(const RowBatch& batch);

  const Driver& driver_;
  std::string url_;
  std::string resource_;
  SpoolFolder folder_;
  std::optional<Xid> xid_;             ///< of the open branch
  std::unique_ptr<SpoolWriter> file_;  ///< from the open branch's first rows on
  bool poisoned_ = false;
  std::shared_ptr<const TableSchema> schema_;  ///< of the open branch's rows, and what check_ was made for
  RowCheck check_;
  std::string prepared_;
};

}  // namespace xasink::txn::staged
