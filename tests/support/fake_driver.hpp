// A database in memory whose every answer a test can script. URLs: `fake:<name>`; all sessions on one name share one
// server.
//
// It keeps the promises of driver.hpp: two-phase commit, branches that survive their session, markers, epochs, poisoned
// branches. What it adds is control: fail the n-th call of a verb before or after its effect, hold a branch, lose one.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "xasink/driver.hpp"
#include "xasink/error.hpp"

namespace xasink::test {

enum class FakeVerb : std::uint8_t {
  connect,
  begin,
  write,
  write_marker,
  prepare,
  commit,
  commit_prepared,
  rollback_prepared,
  list_prepared,
  marker_present,
  newest_marker,
  ensure_bookkeeping,
  raise_epoch,
  prune_markers
};
inline constexpr std::size_t fake_verbs = 14;

/// A NULL is empty; other values in schema::append_value's text.
using FakeRow = std::vector<std::optional<std::string>>;

/// Shared by sessions on several threads; every function takes the lock.
class FakeServer {
 public:
  enum class When : std::uint8_t {
    before,  ///< the call has no effect
    after,   ///< the call does what it does, and its answer is lost
  };

  // --- scripting -----------------------------------------------------------------------------------------------------
  /// The n-th call of the verb from now on (1 = the next) throws `error`. Several may wait at a time.
  void fail(FakeVerb verb, unsigned nth, Error error, When when = When::before);
  /// While held, finishing the branch answers `held` though it is listed, as if another session had it.
  void hold(const Xid& xid);
  void release(const Xid& xid);
  /// Takes the prepared branch away as a foreign ROLLBACK PREPARED would. \returns false if there is none
  bool lose(const Xid& xid);
  /// Every session now open is unusable: its next call throws a connection error. Prepared branches stay.
  void drop_sessions();
  void set_capabilities(Capabilities capabilities);
  /// Adds a transaction of somebody else's to the list.
  void add_foreign(PreparedTransaction transaction);

  // --- looking -------------------------------------------------------------------------------------------------------
  [[nodiscard]] unsigned calls(FakeVerb verb) const;
  /// Committed rows in the order of their commits.
  [[nodiscard]] std::vector<FakeRow> rows(const std::string& table) const;
  [[nodiscard]] std::vector<std::string> prepared_gids() const;
  [[nodiscard]] bool has_marker(const Xid& xid) const;
  void add_table(const TableSchema& schema);

 private:
  friend class FakeSession;
  friend class FakeCatalog;
  friend class FakeDriver;

  struct Branch {
    Xid xid;
    std::string table;
    std::vector<FakeRow> rows;
    std::optional<Marker> marker;
    std::chrono::system_clock::time_point prepared_at;
    bool held = false;
  };
  struct Fault {
    FakeVerb verb;
    unsigned left;
    When when;
    Error error;
  };
  struct Table {
    TableSchema schema;
    std::vector<FakeRow> rows;
  };

  /// Counts the call; throws if a fault of this kind is due.
  /// \returns the error to throw once the call has had its effect
  [[nodiscard]] std::optional<Error> enter(FakeVerb verb);
  void apply(const Branch& branch);

  mutable std::mutex mutex_;
  Capabilities capabilities_{.two_phase = true,
                             .two_phase_reason = {},
                             .detaches_on_prepare = true,
                             .session_per_branch = false,
                             .parallel_commits = true,
                             .version = "Fake 1",
                             .bulk_path = "memory"};
  std::array<unsigned, fake_verbs> calls_{};
  std::vector<Fault> faults_;
  std::map<std::string, Table> tables_;
  std::map<std::string, Branch> prepared_;  // by gid
  std::map<std::string, Marker> markers_;   // by gid
  std::map<std::string, std::uint64_t> epochs_;
  std::vector<PreparedTransaction> foreign_;
  std::uint64_t generation_ = 0;  // of sessions; a session of an older one is lost
};

class FakeDriver final : public Driver {
 public:
  /// The server behind `fake:<name>`, made at its first mention; lives as long as the driver.
  [[nodiscard]] FakeServer& server(const std::string& name) const;

  [[nodiscard]] std::string_view name() const noexcept override { return "fake"; }
  [[nodiscard]] bool accepts(std::string_view url) const noexcept override { return url.starts_with("fake:"); }
  [[nodiscard]] std::string resource_name(const std::string& url) const override;
  [[nodiscard]] Protocol default_protocol() const noexcept override { return Protocol::prepared; }
  [[nodiscard]] std::unique_ptr<Session> connect(const std::string& url) const override;
  [[nodiscard]] std::unique_ptr<Catalog> open_catalog(const std::string& url) const override;

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<FakeServer>> servers_;
};

/// A lost connection, as drivers report it: retryable, the session is of no more use.
[[nodiscard]] Error lost_connection();

}  // namespace xasink::test
