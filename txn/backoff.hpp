// Waiting between attempts.
#pragma once

#include <chrono>
#include <optional>
#include <random>

#include "xasink/retry.hpp"

namespace xasink::txn {

/// Exponential steps with jitter, so that many clients of a server that comes back do not come back at once. Not thread-safe.
class Backoff {
 public:
  explicit Backoff(const RetryPolicy& policy);

  /// How long to wait before the next attempt; empty once the policy's limit has passed since the first call.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next();
  /// Sleeps for next(). \returns false if there is no next attempt
  [[nodiscard]] bool wait();
  /// Progress was made: the next failure is a first one again.
  void reset() noexcept;

 private:
  RetryPolicy policy_;
  std::chrono::milliseconds step_;
  std::optional<std::chrono::steady_clock::time_point> since_;
  std::minstd_rand random_;
};

}  // namespace xasink::txn
