// Named points before and after every step of the protocol, where a test makes the process die, fail or pause.
//
// XASINK_FAULT=<point>:<action>[:<n>] arms one point: action `kill` (SIGKILL to itself), `error` (throws a retryable Error)
// or `stop` (SIGSTOP to itself), at the n-th passage (default 1). XASINK_FAULT=any:kill:<n> counts passages of all points.
// Without XASINK_FAULT_POINTS, as in release builds, the macro is nothing.
#pragma once

#include <string_view>

namespace xasink::txn {

void fault_point(std::string_view name);

}  // namespace xasink::txn

#ifdef XASINK_FAULT_POINTS
#define XASINK_FAULT_POINT(name) ::xasink::txn::fault_point(name)
#else
#define XASINK_FAULT_POINT(name) static_cast<void>(0)
#endif
