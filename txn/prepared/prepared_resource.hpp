// The database's own two-phase commit, over any driver's sessions.
#pragma once

#include <memory>
#include <string>

#include "txn/resource.hpp"

namespace xasink::txn {

/// \param driver must outlive the resource
/// \param capabilities of the server behind `url`. \pre capabilities.two_phase
[[nodiscard]] std::unique_ptr<Resource> make_prepared_resource(const Driver& driver, std::string url,
                                                               Capabilities capabilities);

}  // namespace xasink::txn
