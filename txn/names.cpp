// The words of the enumerations of the public API, as messages and `--json` show them.
#include "xasink/sink.hpp"
#include "xasink/transaction_log.hpp"

namespace xasink {

std::string_view to_string(BranchOutcome outcome) noexcept {
  switch (outcome) {
    case BranchOutcome::pending: return "pending";
    case BranchOutcome::committed: return "committed";
    case BranchOutcome::already_committed: return "already committed";
    case BranchOutcome::lost: return "lost";
  }
  return "?";
}

std::string_view to_string(CommitAnswer answer) noexcept {
  switch (answer) {
    case CommitAnswer::committed: return "committed";
    case CommitAnswer::already_committed: return "already committed";
    case CommitAnswer::retry_later: return "in doubt";
    case CommitAnswer::lost: return "lost";
    case CommitAnswer::failed: return "failed";
  }
  return "?";
}

std::string_view to_string(RecoveredBranch::Action action) noexcept {
  switch (action) {
    case RecoveredBranch::Action::committed: return "committed";
    case RecoveredBranch::Action::already_committed: return "already committed";
    case RecoveredBranch::Action::rolled_back: return "rolled back";
    case RecoveredBranch::Action::left: return "left";
    case RecoveredBranch::Action::in_doubt: return "in doubt";
    case RecoveredBranch::Action::lost: return "lost";
    case RecoveredBranch::Action::failed: return "failed";
  }
  return "?";
}

bool RecoveryReport::clean() const noexcept {
  for (const RecoveredBranch& branch : branches) {
    switch (branch.action) {
      case RecoveredBranch::Action::committed:
      case RecoveredBranch::Action::already_committed:
      case RecoveredBranch::Action::rolled_back:
      case RecoveredBranch::Action::left: break;
      case RecoveredBranch::Action::in_doubt:
      case RecoveredBranch::Action::lost:
      case RecoveredBranch::Action::failed: return false;
    }
  }
  return true;
}

}  // namespace xasink
