#include "txn/backoff.hpp"

#include <algorithm>
#include <thread>

namespace xasink::txn {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Backoff::Backoff(const RetryPolicy& policy)
    : policy_(policy), step_(std::max(policy.initial, milliseconds{1})), random_(std::random_device{}()) {}

std::optional<milliseconds> Backoff::next() {
  const auto now = steady_clock::now();
  if (!since_) since_ = now;
  const auto left = std::chrono::duration_cast<milliseconds>(policy_.limit - (now - *since_));
  if (left <= milliseconds{0}) return std::nullopt;
  std::uniform_int_distribution<milliseconds::rep> draw(step_.count() / 2, step_.count());
  const milliseconds wait{std::max<milliseconds::rep>(1, draw(random_))};
  step_ = std::min(step_ * 2, std::max(policy_.max, policy_.initial));
  // The last attempt comes when the time is up, not after it.
  return std::min(wait, left);
}

bool Backoff::wait() {
  const auto time = next();
  if (!time) return false;
  std::this_thread::sleep_for(*time);
  return true;
}

void Backoff::reset() noexcept {
  since_.reset();
  step_ = std::max(policy_.initial, milliseconds{1});
}

}  // namespace xasink::txn
