// A writer with a thread and a queue of its own, so that reading and sending overlap.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "txn/batch_pool.hpp"
#include "xasink/sink.hpp"

namespace xasink::txn {

/// The point between the rows of a checkpoint and those of the next.
struct Barrier {
  std::uint64_t checkpoint = 0;
};

/// The queue is bounded by the pool the batches come from. push() from one thread; the callbacks run on the writer's.
class WriterThread {
 public:
  using Prepared = std::function<void(std::uint64_t checkpoint, std::vector<Committable>)>;
  using Failed = std::function<void(std::exception_ptr)>;

  /// \param pool outlives the thread; written batches go back to it
  WriterThread(std::unique_ptr<SinkWriter> writer, BatchPool& pool, Prepared prepared, Failed failed);
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;
  /// As stop().
  ~WriterThread();

  void push(RowBatch batch);
  void push(Barrier barrier);
  /// Ends the thread after what it is doing now, making that fail if it does not end soon, and gives up the open branch.
  void stop() noexcept;

 private:
  void run() noexcept;
  void work();

  std::unique_ptr<SinkWriter> writer_;
  BatchPool& pool_;
  Prepared prepared_;
  Failed failed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::variant<RowBatch, Barrier>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace xasink::txn
