#include "txn/branch_state.hpp"

#include "xasink/error.hpp"

namespace xasink::txn {

std::string_view to_string(BranchState state) noexcept {
  switch (state) {
    case BranchState::idle: return "idle";
    case BranchState::open: return "open";
    case BranchState::poisoned: return "poisoned by an error";
    case BranchState::prepared: return "prepared";
    case BranchState::decided: return "decided";
    case BranchState::in_doubt: return "in doubt";
    case BranchState::committed: return "committed";
    case BranchState::rolled_back: return "rolled back";
    case BranchState::lost: return "lost";
  }
  return "?";
}

std::string_view to_string(BranchCall call) noexcept {
  switch (call) {
    case BranchCall::begin: return "begin";
    case BranchCall::write: return "write";
    case BranchCall::fail: return "fail";
    case BranchCall::prepare: return "prepare";
    case BranchCall::decide: return "decide";
    case BranchCall::commit: return "commit";
    case BranchCall::doubt: return "doubt";
    case BranchCall::lose: return "lose";
    case BranchCall::roll_back: return "roll back";
  }
  return "?";
}

std::optional<BranchState> next_state(BranchState state, BranchCall call) noexcept {
  switch (state) {
    case BranchState::idle:
      if (call == BranchCall::begin) return BranchState::open;
      break;
    case BranchState::open:
      if (call == BranchCall::write) return BranchState::open;
      if (call == BranchCall::fail) return BranchState::poisoned;
      if (call == BranchCall::prepare) return BranchState::prepared;
      if (call == BranchCall::roll_back) return BranchState::rolled_back;
      break;
    case BranchState::poisoned:
      if (call == BranchCall::roll_back) return BranchState::rolled_back;
      break;
    case BranchState::prepared:
      if (call == BranchCall::decide) return BranchState::decided;
      if (call == BranchCall::roll_back) return BranchState::rolled_back;
      break;
    case BranchState::decided:
    case BranchState::in_doubt:
      if (call == BranchCall::commit) return BranchState::committed;
      if (call == BranchCall::doubt) return BranchState::in_doubt;
      if (call == BranchCall::lose) return BranchState::lost;
      break;
    case BranchState::committed:
    case BranchState::rolled_back:
    case BranchState::lost: break;
  }
  return std::nullopt;
}

void BranchLife::check(BranchCall call, std::string_view branch) const {
  if (next_state(state_, call)) return;
  ErrorDetails details;
  details.category = Category::usage;
  details.xid = branch;
  throw Error("branch " + std::string(branch) + " is " + std::string(to_string(state_)) + ": \"" +
                  std::string(to_string(call)) + "\" is not possible now",
              details);
}

void BranchLife::apply(BranchCall call, std::string_view branch) {
  check(call, branch);
  state_ = *next_state(state_, call);
}

}  // namespace xasink::txn
