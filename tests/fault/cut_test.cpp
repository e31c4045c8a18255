// Connections that end in the middle of the protocol. The job stays, and every row is there once.
#include <cstdlib>

#include "tests/fault/load_trial.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/cutting_proxy.hpp"

using namespace xasink::test;
using Where = CuttingProxy::Where;

namespace {

struct Network {
  PrivatePostgres server;
  CuttingProxy proxy{server.port()};

  [[nodiscard]] std::unique_ptr<LoadTrial> trial(Kind kind) {
    LoadOptions options;
    options.rows = 600;
    options.checkpoint = "{rows: 300}";
    options.more = "branch: {rows: 100}\n";
    options.url = proxy.url();
    return std::make_unique<LoadTrial>(kind, &server, options);
  }
};

const char* to_string(Where where) {
  switch (where) {
    case Where::before: return "before";
    case Where::after: return "after";
    case Where::answer: return "at the answer of";
  }
  return "?";
}

void run_to_the_end(const LoadTrial& trial) {
  const RunEnd end = trial.xasink("run");
  INFO(end.err);
  REQUIRE(end.code == 0);
  trial.require_complete();
}

}  // namespace

TEST_CASE("a connection cut at each step of a branch's life costs no row and leaves nothing behind") {
  Network network;
  struct Step {
    char type;
    const char* text;
  };
  for (const Step& step : {Step{'d', ""}, Step{'c', ""}, Step{'P', "INSERT INTO xasink_markers"},
                           Step{'Q', "PREPARE TRANSACTION"}, Step{'Q', "COMMIT PREPARED"}, Step{'P', "xasink_epochs"}}) {
    for (const Where where : {Where::before, Where::after, Where::answer}) {
      INFO("cut " << to_string(where) << " the message " << step.type << ' ' << step.text);
      const auto trial = network.trial(Kind::postgresql_prepared);
      network.proxy.arm({step.text, where, CuttingProxy::How::cut, 2, step.type});
      run_to_the_end(*trial);
      CHECK(network.proxy.fired());
    }
  }
}

TEST_CASE("a connection cut while recovery rolls back, or commits, leaves it to the next look") {
  Network network;
  // Killed with branches that no decision names, and with branches that one does.
  for (const auto& [fault, verb] : {std::pair("coordinator.decide.before:kill:2", "ROLLBACK PREPARED"),
                                    std::pair("coordinator.commit.before:kill:2", "COMMIT PREPARED")}) {
    for (const Where where : {Where::before, Where::after, Where::answer}) {
      INFO("cut " << to_string(where) << ' ' << verb);
      const auto trial = network.trial(Kind::postgresql_prepared);
      network.proxy.arm({});
      REQUIRE(trial->xasink("run", fault).code == 128 + 9);
      REQUIRE(trial->left_behind().size() >= 2);
      network.proxy.arm({verb, where, CuttingProxy::How::cut, 1, 'Q'});
      run_to_the_end(*trial);
      CHECK(network.proxy.fired());
    }
  }
}

TEST_CASE("a connection cut at any message at all ends neither the job nor exactly once") {
  Network network;
  const char* every = std::getenv("XASINK_CUT_EVERY");  // 1 takes minutes
  const auto step = every == nullptr ? 5U : static_cast<unsigned>(std::stoul(every));
  for (const Kind kind : {Kind::postgresql_prepared, Kind::postgresql_staged}) {
    constexpr Where kWhere[] = {Where::before, Where::after, Where::answer};
    unsigned nth = 1;
    for (;; nth += step) {
      const Where where = kWhere[nth % 3];
      INFO(to_string(kind) << ": cut " << to_string(where) << " message " << nth);
      const auto trial = network.trial(kind);
      network.proxy.arm({"", where, CuttingProxy::How::cut, nth});
      run_to_the_end(*trial);
      if (!network.proxy.fired()) break;
    }
    CHECK(nth > 60);
  }
}
