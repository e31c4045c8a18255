// The staged protocol: rows wait in a spool file for their decision, then go in by one local transaction with their
// marker.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "txn/resource.hpp"
#include "xasink/retry.hpp"

namespace xasink::txn {

/// Several resources, and several processes, may share a spool folder; it should be on a disk of this machine.
/// \param driver must outlive the resource \param spool absolute; made when the first branch is written, if it is
/// missing \param silence as RetryPolicy::silence \throws Error (configuration) for a URL or path that makes no sense
[[nodiscard]] std::unique_ptr<Resource> make_staged_resource(
    const Driver& driver, std::string url, const std::filesystem::path& spool,
    std::chrono::milliseconds silence = RetryPolicy().silence);

}  // namespace xasink::txn
