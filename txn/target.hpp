// A database behind a URL with its commit protocols: where branches are written, finished and looked for.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "txn/committer.hpp"
#include "txn/resource.hpp"
#include "xasink/sink.hpp"
#include "xasink/transaction_log.hpp"

namespace xasink::txn {

struct TargetOptions {
  std::string url;
  std::optional<Protocol> protocol;  ///< default: the driver's
  std::string spool_directory;       ///< empty: nothing can be staged here
  RetryPolicy commit_retry;
  unsigned commit_sessions = 2;
};

/// Why this session can't finish a listed transaction, as a clause. \pre !transaction.finishable
[[nodiscard]] std::string obstacle_of(const PreparedTransaction& transaction);

/// Which incarnation looks for orphans.
struct Incarnation {
  std::string job;
  std::string owner;
  std::uint64_t epoch = 0;
};

/// Thread-safe. A target knows both protocols where its driver does: a job may change from one to the other, and what the
/// former left must still be finished.
class Target {
 public:
  /// Connects once to find out what the server can do. \throws Error
  Target(const DriverRegistry& drivers, TargetOptions options);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const Driver& driver() const noexcept { return driver_; }
  [[nodiscard]] const TargetOptions& options() const noexcept { return options_; }
  /// The resource new branches go to. \throws Error (preflight) if the protocol can't be used here, with the remedy
  [[nodiscard]] Resource& writing_resource();
  [[nodiscard]] bool owns(const Committable& committable) const noexcept { return committable.resource == name_; }
  /// \throws Error (preflight) if the committable's protocol can't be used here
  [[nodiscard]] FinisherPool& pool_for(const Committable& committable) { return part(committable.protocol).pool; }

  /// Refuses a log that is behind the target, before anything is raised: an old copy, or one that lost its end.
  /// \throws Error (preflight)
  void check_log(TransactionLog& log);
  /// Fences older incarnations: keeps the epoch at the target. \throws FencedError if it has seen a newer one
  void raise_epoch(const Incarnation& incarnation);
  /// Rolls back every branch of the incarnation's job and owner that has an older epoch and that `decided` does not know,
  /// and removes what was never prepared. Branches that others own, live ones and ones this session may not finish are left.
  /// \pre no older incarnation can decide any more, and `decided` answers from a log read after that was so
  [[nodiscard]] std::vector<RecoveredBranch> sweep(const Incarnation& incarnation,
                                                   const std::function<bool(const Xid&)>& decided);
  /// Everything the server and the spool folder list.
  [[nodiscard]] std::vector<PreparedTransaction> list();
  void prune_markers(std::string_view owner, std::uint64_t through);
  /// Whether a marker proves that the branch was committed.
  [[nodiscard]] bool marker_present(const Xid& xid);

 private:
  struct Part {
    explicit Part(std::unique_ptr<Resource> made) : resource(std::move(made)), pool(*resource) {}
    std::unique_ptr<Resource> resource;
    FinisherPool pool;
  };
  [[nodiscard]] Part& part(Protocol protocol);
  /// For what both protocols do alike: markers and epochs.
  [[nodiscard]] Part& any_part();
  [[nodiscard]] std::vector<Protocol> usable_protocols() const;

  const Driver& driver_;
  TargetOptions options_;
  std::string name_;
  Capabilities capabilities_;
  std::mutex mutex_;
  std::map<Protocol, Part> parts_;
};

}  // namespace xasink::txn
