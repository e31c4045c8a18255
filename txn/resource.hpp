// One target under one commit protocol: the interface that the prepared and the staged protocol share.
#pragma once

#include <memory>
#include <vector>

#include "xasink/committable.hpp"
#include "xasink/driver.hpp"

namespace xasink::txn {

/// Writes branches, one after the other. One thread.
class BranchWriter {
 public:
  BranchWriter() = default;
  BranchWriter(const BranchWriter&) = delete;
  BranchWriter& operator=(const BranchWriter&) = delete;
  /// Gives up an open branch; never rolls back a prepared one.
  virtual ~BranchWriter() = default;

  virtual void begin(const Xid& xid) = 0;
  virtual void write(const RowBatch& batch) = 0;
  /// Flush, marker, first phase. After it the next begin() may follow at once.
  virtual void prepare(const Marker& marker) = 0;
  virtual void rollback() noexcept = 0;
  /// From any thread: makes a call in progress fail soon. The writer is of no more use than rollback() after it.
  virtual void interrupt() noexcept {}
  /// Path of the spool file the last prepare() left (staged), empty otherwise.
  [[nodiscard]] virtual std::string spool() const { return {}; }
};

/// Finishes and lists branches. One thread. After a thrown error with session_usable == false make a new one.
class BranchFinisher {
 public:
  BranchFinisher() = default;
  BranchFinisher(const BranchFinisher&) = delete;
  BranchFinisher& operator=(const BranchFinisher&) = delete;
  virtual ~BranchFinisher() = default;

  [[nodiscard]] virtual FinishResult commit(const Committable& committable) = 0;
  [[nodiscard]] virtual FinishResult rollback(const Xid& xid) = 0;
  [[nodiscard]] virtual std::vector<PreparedTransaction> list() = 0;
  [[nodiscard]] virtual bool marker_present(const Xid& xid) = 0;
  [[nodiscard]] virtual std::uint64_t newest_marker(std::string_view owner) = 0;  ///< makes the bookkeeping tables first
  [[nodiscard]] virtual std::uint64_t raise_epoch(std::string_view job, std::string_view owner, std::uint64_t epoch) = 0;
  virtual std::uint64_t prune_markers(std::string_view owner, std::uint64_t through) = 0;
  /// Removes what a crash left that was never prepared (spool files in progress of (job, owner) older than `epoch`, not
  /// live). Nothing to do where the server does it. \returns how many
  virtual std::size_t discard_unprepared(std::string_view job, std::string_view owner, std::uint64_t epoch) = 0;
};

/// Thread-safe factory; opens one connection per object it makes.
class Resource {
 public:
  Resource() = default;
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;
  virtual ~Resource() = default;

  [[nodiscard]] virtual Protocol protocol() const noexcept = 0;
  /// As Committable::resource.
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<BranchWriter> open_writer() = 0;
  [[nodiscard]] virtual std::unique_ptr<BranchFinisher> open_finisher() = 0;
};

}  // namespace xasink::txn
