// A fixed number of batches that go round between reader and writers: the bound on memory, and the back-pressure.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <vector>

#include "xasink/row_batch.hpp"

namespace xasink::txn {

/// Thread-safe.
class BatchPool {
 public:
  BatchPool(std::shared_ptr<const TableSchema> schema, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) free_.emplace_back(schema);
  }

  /// An empty batch; waits for one. Empty after close().
  [[nodiscard]] std::optional<RowBatch> take() {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [this] { return closed_ || !free_.empty(); });
    if (closed_) return std::nullopt;
    RowBatch batch = std::move(free_.back());
    free_.pop_back();
    return batch;
  }

  void give_back(RowBatch batch) {
    batch.clear();
    {
      const std::lock_guard lock(mutex_);
      free_.push_back(std::move(batch));
    }
    returned_.notify_one();
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    returned_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<RowBatch> free_;
  bool closed_ = false;
};

}  // namespace xasink::txn
