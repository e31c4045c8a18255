// The life of a branch as a type.
//
//   idle ──begin──▶ open ──prepare──▶ prepared ──decide──▶ decided ──commit──▶ committed
//                    │ fail              │ roll_back          │ doubt  ▲ │ lose
//                    ▼                   ▼                    ▼        │ ▼
//                 poisoned          rolled_back            in_doubt ───┘ lost
//
// idle: nothing anywhere. open, poisoned: rows in a session (or a spool file in progress); gone if the process dies.
// prepared: durable at the database, named by no decision; an orphan if the process dies. decided: named by the log, will be
// committed whatever dies. in_doubt: the second phase was asked for, no proof seen; looked at again. lost: proven gone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xasink::txn {

enum class BranchState : std::uint8_t {
  idle, open, poisoned, prepared, decided, in_doubt, committed, rolled_back, lost
};

enum class BranchCall : std::uint8_t { begin, write, fail, prepare, decide, commit, doubt, lose, roll_back };

[[nodiscard]] std::string_view to_string(BranchState state) noexcept;
[[nodiscard]] std::string_view to_string(BranchCall call) noexcept;

/// The state a call leads to, or empty if the call is wrong in that state.
[[nodiscard]] std::optional<BranchState> next_state(BranchState state, BranchCall call) noexcept;

/// One branch's state. A value; not thread-safe.
class BranchLife {
 public:
  explicit BranchLife(BranchState state = BranchState::idle) noexcept : state_(state) {}

  [[nodiscard]] BranchState state() const noexcept { return state_; }
  /// Refuses a call that is wrong now; changes nothing. \throws Error (usage) naming branch, state and call
  void check(BranchCall call, std::string_view branch) const;
  /// Checks, then moves on.
  void apply(BranchCall call, std::string_view branch);

 private:
  BranchState state_;
};

}  // namespace xasink::txn
