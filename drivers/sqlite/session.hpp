// A SQLite connection as a session: local transactions with markers, no two-phase commit.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "drivers/sqlite/bulk_writer.hpp"
#include "drivers/sqlite/connection.hpp"
#include "xasink/driver.hpp"

namespace xasink::sqlite {

class SqliteSession final : public Session {
 public:
  /// \throws Error (preflight, configuration, corrupt) if the file is missing, not writable or no database
  explicit SqliteSession(std::filesystem::path path);

  /// Takes the database's one write lock; others may go on reading. Waits up to ten seconds for another writer.
  void begin(const Xid& xid) override;
  void write(const RowBatch& batch) override;
  [[nodiscard]] bool write_marker(const Marker& marker) override;
  [[nodiscard]] std::string prepare() override;
  /// On disk when it returns. \throws Error (contention) if readers held the lock too long: nothing is committed then
  void commit() override;
  void rollback() noexcept override;

  [[nodiscard]] FinishResult commit_prepared(const Xid& xid) override;
  [[nodiscard]] FinishResult rollback_prepared(const Xid& xid) override;
  [[nodiscard]] std::vector<PreparedTransaction> list_prepared() override;
  [[nodiscard]] bool marker_present(const Xid& xid) override;
  [[nodiscard]] std::uint64_t newest_marker(std::string_view owner) override;

  void ensure_bookkeeping() override;
  [[nodiscard]] std::uint64_t raise_epoch(std::string_view job, std::string_view owner, std::uint64_t epoch) override;
  std::uint64_t prune_markers(std::string_view owner, std::uint64_t through) override;

  [[nodiscard]] bool usable() const noexcept override { return usable_; }

 private:
  enum class State {
    idle,      ///< no branch
    open,      ///< takes rows
    marked,    ///< has its marker: only commit or rollback may follow
    poisoned,  ///< something failed, or the marker was there already: only rollback may follow
  };

  void require(State state, const char* verb) const;
  /// Runs a verb; an error poisons the open branch, and the session too if it says so.
  template <typename Verb>
  auto guarded(Verb verb);
  [[nodiscard]] bool bookkeeping_exists() const;
  /// Runs `body` in a transaction of its own.
  template <typename Body>
  auto in_transaction(Body body);

  Connection connection_;
  std::optional<BulkWriter> bulk_;
  Xid xid_;
  State state_ = State::idle;
  bool usable_ = true;
};

}  // namespace xasink::sqlite
