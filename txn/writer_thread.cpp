#include "txn/writer_thread.hpp"

#include <utility>

namespace xasink::txn {

WriterThread::WriterThread(std::unique_ptr<SinkWriter> writer, BatchPool& pool, Prepared prepared, Failed failed)
    : writer_(std::move(writer)),
      pool_(pool),
      prepared_(std::move(prepared)),
      failed_(std::move(failed)),
      thread_([this] { run(); }) {}

WriterThread::~WriterThread() { stop(); }

void WriterThread::push(RowBatch batch) {
  {
    const std::lock_guard lock(mutex_);
    queue_.emplace_back(std::move(batch));
  }
  changed_.notify_one();
}

void WriterThread::push(Barrier barrier) {
  {
    const std::lock_guard lock(mutex_);
    queue_.emplace_back(barrier);
  }
  changed_.notify_one();
}

void WriterThread::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  // It may wait for a lock that a branch of this very job holds, or for a server that never answers.
  writer_->interrupt();
  thread_.join();
  writer_->abort();
}

void WriterThread::run() noexcept {
  try {
    work();
  } catch (...) {
    failed_(std::current_exception());
  }
}

void WriterThread::work() {
  for (;;) {
    std::variant<RowBatch, Barrier> next = Barrier{};
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    if (auto* batch = std::get_if<RowBatch>(&next)) {
      writer_->write(*batch);
      pool_.give_back(std::move(*batch));
    } else {
      const std::uint64_t checkpoint = std::get<Barrier>(next).checkpoint;
      prepared_(checkpoint, writer_->prepare_commit(checkpoint));
    }
  }
}

}  // namespace xasink::txn
