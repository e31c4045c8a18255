#include "xasink/sink.hpp"

#include <algorithm>
#include <utility>

#include "txn/committer.hpp"
#include "txn/table_lookup.hpp"
#include "txn/target.hpp"
#include "txn/writer.hpp"
#include "xasink/error.hpp"

namespace xasink {
namespace {

class TargetCommitter final : public Committer {
 public:
  explicit TargetCommitter(std::shared_ptr<txn::Target> target) : target_(std::move(target)) {}

  std::vector<CommitResult> commit(std::span<const Committable> committables) override {
    return txn::commit_branches(committables, [this](const Committable& one) -> txn::FinisherPool& {
      if (!target_->owns(one)) {
        throw Error(Category::usage, "branch " + one.xid.gid() + " lies at " + one.resource + ", this committer works at " +
                                         target_->name());
      }
      return target_->pool_for(one);
    }, target_->options().commit_retry, target_->options().commit_sessions);
  }

 private:
  std::shared_ptr<txn::Target> target_;
};

RecoveredBranch::Action action_of(CommitAnswer answer) noexcept {
  switch (answer) {
    case CommitAnswer::committed: return RecoveredBranch::Action::committed;
    case CommitAnswer::already_committed: return RecoveredBranch::Action::already_committed;
    case CommitAnswer::retry_later: return RecoveredBranch::Action::in_doubt;
    case CommitAnswer::lost: return RecoveredBranch::Action::lost;
    case CommitAnswer::failed: return RecoveredBranch::Action::failed;
  }
  return RecoveredBranch::Action::failed;
}

class TargetSink final : public Sink {
 public:
  TargetSink(const DriverRegistry& drivers, SinkOptions options)
      : options_(std::move(options)),
        target_(std::make_shared<txn::Target>(
            drivers, txn::TargetOptions{options_.url, options_.protocol, options_.spool_directory, options_.commit_retry,
                                        options_.commit_sessions})) {
    static_cast<void>(target_->writing_resource());
    schema_ = txn::look_up_table(target_->driver(), options_.url, options_.table, options_.columns);
  }

  const std::shared_ptr<const TableSchema>& schema() const noexcept override { return schema_; }
  const std::string& resource() const noexcept override { return target_->name(); }

  RecoveryReport recover(std::span<const Committable> decided) override {
    const txn::Incarnation incarnation{options_.job, options_.owner, options_.epoch};
    target_->raise_epoch(incarnation);
    std::vector<Committable> ours;
    std::copy_if(decided.begin(), decided.end(), std::back_inserter(ours),
                 [&](const Committable& one) { return target_->owns(one); });
    RecoveryReport report;
    for (const CommitResult& result : create_committer()->commit(ours)) {
      report.branches.push_back(
          {result.committable.xid.gid(), target_->name(), action_of(result.answer), result.evidence});
    }
    auto swept = target_->sweep(incarnation, [&](const Xid& xid) {
      return std::any_of(decided.begin(), decided.end(), [&](const Committable& one) { return one.xid == xid; });
    });
    std::move(swept.begin(), swept.end(), std::back_inserter(report.branches));
    return report;
  }

  std::unique_ptr<SinkWriter> create_writer(std::uint32_t index, std::uint64_t next_checkpoint) override {
    return txn::make_writer({target_, &target_->writing_resource()}, schema_, {options_.job, options_.owner, options_.epoch, index},
                            next_checkpoint, options_.bounds);
  }

  std::unique_ptr<Committer> create_committer() override { return std::make_unique<TargetCommitter>(target_); }

 private:
  SinkOptions options_;
  std::shared_ptr<txn::Target> target_;
  std::shared_ptr<const TableSchema> schema_;
};

}  // namespace

std::unique_ptr<Sink> Sink::open(const DriverRegistry& drivers, SinkOptions options) {
  if (!valid_job_name(options.job)) {
    throw Error(Category::configuration, "job name \"" + options.job + "\" is not allowed",
                "use 1 to 24 of a-z, 0-9, _ and -");
  }
  if (!valid_owner(options.owner)) {
    throw Error(Category::configuration, "the owner tag \"" + options.owner + "\" is not allowed",
                "make one with make_owner() and keep it with the job's state");
  }
  if (options.epoch == 0) {
    throw Error(Category::configuration, "the epoch must be 1 or more", "count it up at each start of the job");
  }
  return std::make_unique<TargetSink>(drivers, std::move(options));
}

}  // namespace xasink
