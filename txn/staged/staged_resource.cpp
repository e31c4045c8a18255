#include "txn/staged/staged_resource.hpp"

#include <utility>

#include "txn/staged/staged_finisher.hpp"
#include "txn/staged/staged_writer.hpp"

namespace xasink::txn {

StagedResource::StagedResource(const Driver& driver, std::string url, std::filesystem::path spool)
    : driver_(driver), url_(std::move(url)), name_(driver.resource_name(url_)), folder_(std::move(spool)) {}

std::unique_ptr<BranchWriter> StagedResource::open_writer() {
  return std::make_unique<staged::StagedWriter>(driver_, url_, name_, folder_);
}

std::unique_ptr<BranchFinisher> StagedResource::open_finisher() {
  return std::make_unique<staged::StagedFinisher>(driver_.connect(url_), name_, folder_);
}

}  // namespace xasink::txn
