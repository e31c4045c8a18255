// A server, or something before it, that falls silent. Every wait ends.
#include <chrono>

#include "tests/fault/load_trial.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/cutting_proxy.hpp"

using namespace xasink::test;
using Where = CuttingProxy::Where;
using std::chrono::seconds;
using std::chrono::steady_clock;

namespace {

struct Network {
  PrivatePostgres server;
  CuttingProxy proxy{server.port()};

  [[nodiscard]] std::unique_ptr<LoadTrial> trial(Kind kind, LoadOptions options = {}) {
    options.retry = "{initial: 20ms, max: 500ms, limit: 60s, silence: 700ms}";
    options.url = proxy.url();
    return std::make_unique<LoadTrial>(kind, &server, options);
  }
};

}  // namespace

TEST_CASE("a server that falls silent at any step is given up after retry.silence, and the job goes on") {
  Network network;
  struct Step {
    char type;
    const char* text;
    Where where;
  };
  for (const Step& step :
       {Step{'d', "", Where::before}, Step{'c', "", Where::before}, Step{'c', "", Where::answer},
        Step{'P', "INSERT INTO xasink_markers", Where::before}, Step{'Q', "PREPARE TRANSACTION", Where::before},
        Step{'Q', "PREPARE TRANSACTION", Where::answer}, Step{'Q', "COMMIT PREPARED", Where::before},
        Step{'Q', "COMMIT PREPARED", Where::answer}, Step{'P', "xasink_epochs", Where::answer}}) {
    INFO("silent at " << step.type << ' ' << step.text);
    const auto trial = network.trial(Kind::postgresql_prepared);
    network.proxy.arm({step.text, step.where, CuttingProxy::How::stall, 2, step.type});
    const auto begun = steady_clock::now();
    const RunEnd end = trial->xasink("run");
    INFO(end.err);
    REQUIRE(end.code == 0);
    CHECK(network.proxy.fired());
    CHECK_THAT(end.err, contains("no answer for 700 ms"));
    CHECK(steady_clock::now() - begun < seconds(20));
    trial->require_complete();
  }
}
