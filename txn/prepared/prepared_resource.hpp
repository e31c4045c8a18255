// The database's own two-phase commit, over any driver's sessions.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "txn/resource.hpp"
#include "xasink/retry.hpp"

namespace xasink::txn {

/// \param driver must outlive the resource
/// \param capabilities of the server behind `url`. \pre capabilities.two_phase
/// \param silence as RetryPolicy::silence
[[nodiscard]] std::unique_ptr<Resource> make_prepared_resource(
    const Driver& driver, std::string url, Capabilities capabilities,
    std::chrono::milliseconds silence = RetryPolicy().silence);

}  // namespace xasink::txn
