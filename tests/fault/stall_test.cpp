// A server, or something before it, that falls silent. Every wait ends.
#include <csignal>

#include <chrono>
#include <fstream>

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
    // A commit is asked for again at once; everything else goes back to the last checkpoint.
    if (std::string(step.text) != "COMMIT PREPARED") CHECK_THAT(end.err, contains("no answer for 700 ms"));
    CHECK(steady_clock::now() - begun < seconds(20));
    trial->require_complete();
  }
}

TEST_CASE("a stop that is asked for while the server is silent ends the job, and the next run ends the load") {
  Network network;
  for (const char* text : {"PREPARE TRANSACTION", "COMMIT PREPARED"}) {
    INFO("silent at " << text);
    LoadOptions options;
    options.source_more = ", rows_per_second: 2000";
    options.checkpoint = "{interval: 100ms}";
    const auto trial = network.trial(Kind::postgresql_prepared, options);
    network.proxy.arm({text, Where::answer, CuttingProxy::How::stall, 3, 'Q'});
    const auto job = trial->start("run");
    while (!network.proxy.fired()) REQUIRE_FALSE(job->wait(std::chrono::milliseconds(2)));
    job->signal(SIGTERM);
    const auto code = job->wait(seconds(20));
    INFO(job->err());
    REQUIRE(code);
    CHECK((*code == 0 || *code == 1));
    CHECK(trial->left_behind() == std::vector<std::string>{});
    const RunEnd rest = trial->xasink("run");
    INFO(rest.err);
    REQUIRE(rest.code == 0);
    trial->require_complete();
  }
}

TEST_CASE("two writers with rows of one key do not wait for each other for ever") {
  Network network;
  LoadOptions options;
  options.checkpoint = "{rows: 1000000}";
  options.more = "";
  const auto trial = network.trial(Kind::postgresql_prepared, options);
  // The generator's rows, as a file in which the second writer's batch has a key of the first one's.
  std::ofstream rows(trial->folder() / "rows.csv");
  for (int i = 0; i < 6'000; ++i) rows << (i == 5'000 ? 10 : i) << ",a,1.00,2026-12-01T00:00:00Z,true,b\n";
  rows.close();
  trial->change("source: {type: generator, rows: 3000}", "source: {type: csv, path: rows.csv, columns: [id, name, amount, at, ok, note]}");
  trial->change("silence: 700ms", "silence: 20s");
  trial->change("limit: 60s", "limit: 2s");
  trial->change("gssencmode=disable", "gssencmode=disable&options=-c%20lock_timeout%3D300ms");
  const auto begun = steady_clock::now();
  const RunEnd end = trial->xasink("run");
  INFO(end.err);
  CHECK(end.code == 1);
  CHECK_THAT(end.err, contains("lock timeout"));
  CHECK_THAT(end.err, contains("rows.csv:5001: "));
  CHECK_THAT(end.err, contains("if the input holds a key twice"));
  CHECK(steady_clock::now() - begun < seconds(20));
  CHECK(trial->rows_without_gap() == 0);
  CHECK(trial->left_behind() == std::vector<std::string>{});

  trial->change("writers: 2", "writers: 1");
  const RunEnd told = trial->xasink("run");
  INFO(told.err);
  CHECK(told.code == 4);
  CHECK_THAT(told.err, contains("rows.csv:5001"));
}
