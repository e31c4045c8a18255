// The second phase: finishing branches and proving that they are finished.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "txn/resource.hpp"
#include "xasink/sink.hpp"

namespace xasink::txn {

/// Connections for the second phase, opened when needed and kept. Thread-safe.
class FinisherPool {
 public:
  /// \param resource must outlive the pool
  explicit FinisherPool(Resource& resource) : resource_(resource) {}

  /// One finisher, out of the pool until it is given back. A broken one is simply not given back.
  [[nodiscard]] std::unique_ptr<BranchFinisher> take();
  void give_back(std::unique_ptr<BranchFinisher> finisher);

 private:
  Resource& resource_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<BranchFinisher>> idle_;
};

/// Runs `act` on a finisher of the pool, which is given back unless the act throws.
template <typename Act>
auto with_finisher(FinisherPool& pool, Act&& act) {
  auto finisher = pool.take();
  if constexpr (std::is_void_v<decltype(act(*finisher))>) {
    act(*finisher);
    pool.give_back(std::move(finisher));
  } else {
    auto result = act(*finisher);
    pool.give_back(std::move(finisher));
    return result;
  }
}

/// Where the branches of a committable are finished. \throws Error if nobody can
using PoolFor = std::function<FinisherPool&(const Committable&)>;

/// Commits branches, those of one checkpoint `sessions` at a time, the oldest checkpoint first; none of a later checkpoint
/// before all of an earlier one are committed. See Committer::commit for the promise.
[[nodiscard]] std::vector<CommitResult> commit_branches(std::span<const Committable> committables, const PoolFor& pool_for,
                                                        const RetryPolicy& retry, unsigned sessions);

}  // namespace xasink::txn
