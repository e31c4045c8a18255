#include <csignal>

#include "tests/integration/cli/trial_job.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

namespace {

constexpr const char* kSteady = "rows_per_second: 5000";
constexpr const char* kTwiceASecond = "checkpoint: {interval: 500ms}\n";

}  // namespace

TEST_CASE("SIGTERM and SIGINT take a last checkpoint, and the next run goes on exactly there") {
  const TrialJob job(kSteady, kTwiceASecond);
  std::uint64_t before = 0;
  for (const int signal : {SIGTERM, SIGINT}) {
    const auto process = start_xasink({"run", job.file(), "--json"});
    REQUIRE(eventually([&] { return job.rows() > before; }));
    process->signal(signal);
    CHECK(process->wait(std::chrono::minutes(1)) == 0);
    const auto result = nlohmann::json::parse(process->out());
    CHECK(result["stopped"] == true);
    // What the process says it committed is there, all of it and nothing else.
    CHECK(job.rows() == before + result["rows"].get<std::uint64_t>());
    CHECK_THAT(process->err(), contains("asked to stop: taking a last checkpoint"));
    const auto status = run_xasink({"status", job.file(), "--json"}).json();
    CHECK(status["checkpoints"][0]["final"] == true);
    CHECK(status["state"] == "committed");
    before = job.rows();
  }
  // The rest of a bounded job comes out whole.
  job.write("rows: " + std::to_string(before + 1'000), kTwiceASecond);
  CHECK(run_xasink({"run", job.file()}).code == 0);
  CHECK(job.rows() == before + 1'000);
}

TEST_CASE("a second signal ends the process at once with exit code 1, and nothing is loaded twice or lost") {
  const TrialJob job(kSteady, kTwiceASecond);
  const auto process = start_xasink({"run", job.file()});
  REQUIRE(eventually([&] { return job.rows() > 0; }));
  process->signal(SIGTERM);
  process->signal(SIGINT);
  const auto code = process->wait(std::chrono::minutes(1));
  // The first one may have been quick enough to end it in peace.
  if (code != 0) {
    CHECK(code == 1);
    CHECK_THAT(process->err(), contains("asked to stop twice"));
  }
  const std::uint64_t before = job.rows();
  job.write("rows: " + std::to_string(before + 5'000), kTwiceASecond);
  CHECK(run_xasink({"run", job.file()}).code == 0);
  CHECK(job.rows() == before + 5'000);
}

TEST_CASE("kill -9 in the middle loses and doubles nothing") {
  const TrialJob job(kSteady, "checkpoint: {interval: 20ms}\n");
  for (int run = 0; run < 3; ++run) {
    const std::uint64_t before = job.rows();
    const auto process = start_xasink({"run", job.file()});
    REQUIRE(eventually([&] { return job.rows() > before; }));
    process->signal(SIGKILL);
    CHECK(process->wait(std::chrono::minutes(1)) == 128 + SIGKILL);
  }
  CHECK(run_xasink({"recover", job.file()}).code == 0);
  const std::uint64_t before = job.rows();
  job.write("rows: " + std::to_string(before + 100), "checkpoint: {interval: 20ms}\n");
  CHECK(run_xasink({"run", job.file()}).code == 0);
  CHECK(job.rows() == before + 100);
}
