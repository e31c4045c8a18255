// How long and how often something is tried again.
#pragma once

#include <chrono>

namespace xasink {

/// Exponential back-off with full jitter, bounded in time. Waits are drawn between half and all of the current step.
struct RetryPolicy {
  std::chrono::milliseconds initial{50};
  std::chrono::milliseconds max{5'000};
  std::chrono::milliseconds limit{60'000};  ///< give up once this much time has passed since the first failure
  /// A server that owes an answer and says nothing for so long is taken for lost: longer than any single statement takes.
  std::chrono::milliseconds silence{60'000};
};

}  // namespace xasink
