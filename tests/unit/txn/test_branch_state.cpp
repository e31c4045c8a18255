#include "tests/support/catch.hpp"
#include "txn/branch_state.hpp"
#include "xasink/error.hpp"

using namespace xasink::txn;
using State = BranchState;
using Call = BranchCall;

TEST_CASE("a branch goes the ways of its life and no other") {
  struct Step {
    State from;
    Call call;
    State to;
  };
  const std::vector<Step> allowed = {
      {State::idle, Call::begin, State::open},           {State::open, Call::write, State::open},
      {State::open, Call::fail, State::poisoned},        {State::open, Call::prepare, State::prepared},
      {State::open, Call::roll_back, State::rolled_back}, {State::poisoned, Call::roll_back, State::rolled_back},
      {State::prepared, Call::decide, State::decided},   {State::prepared, Call::roll_back, State::rolled_back},
      {State::decided, Call::commit, State::committed},  {State::decided, Call::doubt, State::in_doubt},
      {State::decided, Call::lose, State::lost},         {State::in_doubt, Call::commit, State::committed},
      {State::in_doubt, Call::doubt, State::in_doubt},   {State::in_doubt, Call::lose, State::lost}};
  for (int state = 0; state <= static_cast<int>(State::lost); ++state) {
    for (int call = 0; call <= static_cast<int>(Call::roll_back); ++call) {
      const auto from = static_cast<State>(state);
      const auto made = static_cast<Call>(call);
      std::optional<State> expected;
      for (const Step& step : allowed) {
        if (step.from == from && step.call == made) expected = step.to;
      }
      INFO(to_string(from) << " " << to_string(made));
      CHECK(next_state(from, made) == expected);
    }
  }
}

TEST_CASE("a poisoned branch can't be prepared, and the refusal names branch, state and call") {
  BranchLife life;
  life.apply(Call::begin, "b1");
  life.apply(Call::fail, "b1");
  CHECK_THROWS_WITH(life.apply(Call::prepare, "b1"), "branch b1 is poisoned by an error: \"prepare\" is not possible now");
  CHECK(life.state() == State::poisoned);
}

TEST_CASE("a decided branch is never rolled back") {
  BranchLife life(State::decided);
  CHECK_THROWS_AS(life.apply(Call::roll_back, "b1"), xasink::Error);
}
