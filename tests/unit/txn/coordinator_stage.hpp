// One incarnation of a job over a fake database.
#pragma once

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "tests/unit/txn/stage.hpp"
#include "txn/coordinator.hpp"

namespace xasink::test {

struct Observer final : txn::CoordinatorObserver {
  void checkpoint_committed(std::uint64_t checkpoint, std::uint64_t rows, std::chrono::milliseconds) override {
    const std::lock_guard lock(mutex);
    committed.emplace_back(checkpoint, rows);
  }
  void branch_swept(const RecoveredBranch& branch) override {
    const std::lock_guard lock(mutex);
    swept.push_back(branch.xid);
  }
  void upkeep_failed(const std::string& why) override {
    const std::lock_guard lock(mutex);
    failures.push_back(why);
  }
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> committed;
  std::vector<std::string> swept;
  std::vector<std::string> failures;
};

struct CoordinatorStage : Stage {
  /// One incarnation of the job, from its recovery on.
  std::unique_ptr<txn::Coordinator> begin(TransactionLog& with) {
    recovery = txn::recover_job(with, targets, txn::ids_to_reserve(options.max_in_flight));
    return std::make_unique<txn::Coordinator>(with, targets, recovery, txn::Lane{targets[0], schema, writers}, options,
                                              observer);
  }
  std::unique_ptr<txn::Coordinator> begin() { return begin(*log); }
  void write(txn::Coordinator& coordinator, int rows) {
    RowBatch made = coordinator.take_batch();
    fill(made, next, rows);
    next += rows;
    coordinator.write(std::move(made));
  }
  std::string position() const { return "row " + std::to_string(next); }
  bool tick(txn::Coordinator& coordinator) {
    const unsigned before = asked;
    coordinator.checkpoint_if_due([this] {
      ++asked;
      return position();
    });
    return asked > before;
  }
  std::vector<std::int64_t> sorted_ids() const {
    auto all = ids();
    std::sort(all.begin(), all.end());
    return all;
  }

  std::unique_ptr<TransactionLog> log = open_log();
  txn::Targets targets = open_targets();
  txn::CoordinatorOptions options;
  unsigned writers = 2;
  Observer observer;
  txn::JobRecovery recovery;
  std::int64_t next = 0;
  unsigned asked = 0;  // for the position
};

template <typename Act>
Error error_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  throw std::logic_error("nothing was thrown");
}

}  // namespace xasink::test
