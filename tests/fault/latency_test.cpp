// How long a row takes to be seen.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>
#include <vector>

#include "tests/fault/load_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;
using std::chrono::milliseconds;
using std::chrono::system_clock;

namespace {

struct Latencies {
  milliseconds median;
  milliseconds most;
};

// Rows a second. Not 10, so that rows and barriers do not keep step and every phase between them occurs.
constexpr double kRate = 9.1;

// When the job says that it begins. The generator's first row is due a moment later, so delays are rather over than
// under.
std::chrono::system_clock::time_point begin_of(const Process& job) {
  const std::string log = job.err();
  std::tm day{};
  int millis = 0;
  char rest[64] = {};
  // 2026-12-01T02:32:15.725+00:00 info: …
  REQUIRE(std::sscanf(log.c_str(), "%d-%d-%dT%d:%d:%d.%d%63s", &day.tm_year, &day.tm_mon, &day.tm_mday, &day.tm_hour,
                      &day.tm_min, &day.tm_sec, &millis, rest) == 8);
  REQUIRE(std::string(rest) == "+00:00");
  REQUIRE_THAT(log.substr(0, log.find('\n')), contains("begins at the start of its source"));
  day.tm_year -= 1900;
  day.tm_mon -= 1;
  return std::chrono::system_clock::from_time_t(timegm(&day)) + milliseconds(millis);
}

Latencies measure(const std::string& interval, int rows) {
  PrivatePostgres server;
  LoadOptions options;
  options.rows = static_cast<std::uint64_t>(rows);
  options.checkpoint = "{interval: " + interval + "}";
  options.source_more = ", rows_per_second: 9.1";
  options.writers = 1;
  options.more = "";
  const LoadTrial trial(Kind::postgresql_prepared, &server, options);
  // The table first, so that looking at it is one cheap statement.
  const auto job = trial.start("run");
  while (server.value("SELECT to_regclass('" + trial.job() + "') IS NULL") == "t")
    std::this_thread::sleep_for(milliseconds(1));

  std::vector<system_clock::time_point> seen;
  while (seen.size() < options.rows) {
    const auto count = std::stoull(server.value("SELECT count(*) FROM " + trial.job()));
    const auto now = system_clock::now();
    while (seen.size() < count) seen.push_back(now);
    REQUIRE_FALSE((job->wait(milliseconds(0)) && seen.size() < options.rows &&
                   std::stoull(server.value("SELECT count(*) FROM " + trial.job())) < options.rows));
    std::this_thread::sleep_for(milliseconds(1));
  }
  REQUIRE(job->wait(std::chrono::seconds(10)) == 0);
  const auto begin = begin_of(*job);
  std::vector<milliseconds> delays;
  for (std::size_t i = 0; i + 1 < seen.size(); ++i) {  // the last one comes with the final checkpoint
    const auto due =
        begin + std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(static_cast<double>(i) / kRate));
    delays.push_back(std::chrono::duration_cast<milliseconds>(seen[i] - due));
  }
  std::sort(delays.begin(), delays.end());
  return {delays[delays.size() / 2], delays.back()};
}

// The promise itself holds on a machine that does nothing else: XASINK_PROMISES=1 asks for it. Otherwise three times as much.
milliseconds bound(int promised) {
  const bool strict = std::getenv("XASINK_PROMISES") != nullptr;
  return milliseconds(strict ? promised : 3 * promised);
}

}  // namespace

TEST_CASE("with a checkpoint each 2 s a row is seen after 1.05 s in the median and 2.1 s at most") {
  const Latencies found = measure("2s", 81);
  INFO(found.median.count() << " ms median, " << found.most.count() << " ms at most");
  CHECK(found.median <= bound(1'050));
  CHECK(found.most <= bound(2'100));
}

TEST_CASE("with a checkpoint each 100 ms a row is seen after 60 ms in the median and 130 ms at most") {
  const Latencies found = measure("100ms", 60);
  INFO(found.median.count() << " ms median, " << found.most.count() << " ms at most");
  CHECK(found.median <= bound(60));
  CHECK(found.most <= bound(130));
}
