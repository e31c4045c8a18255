// The staged protocol: rows wait in a spool file for their decision, then go in by one local transaction with their
// marker.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "txn/resource.hpp"
#include "txn/staged/spool_folder.hpp"

namespace xasink::txn {

/// Thread-safe. Several resources, and several processes, may share a folder; it should be on a disk of this machine.
class StagedResource final : public Resource {
 public:
  /// \pre driver outlives the resource and what it makes \param spool absolute; made at the first branch if missing
  /// \throws Error (configuration) for a URL or path that makes no sense
  StagedResource(const Driver& driver, std::string url, std::filesystem::path spool);

  [[nodiscard]] Protocol protocol() const noexcept override { return Protocol::staged; }
  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  [[nodiscard]] std::unique_ptr<BranchWriter> open_writer() override;
  [[nodiscard]] std::unique_ptr<BranchFinisher> open_finisher() override;

 private:
  const Driver& driver_;
  std::string url_;
  std::string name_;
  staged::SpoolFolder folder_;
};

}  // namespace xasink::txn
