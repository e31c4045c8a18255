// Memory does not grow with the rows.
#include <fstream>

#include "tests/fault/load_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

namespace {

// The most the process ever had resident, in KiB; read while it is stopped just before its end.
std::uint64_t peak_kib(Kind kind, PrivatePostgres* server, std::uint64_t rows) {
  LoadOptions options;
  options.rows = rows;
  options.checkpoint = "{interval: 500ms}";
  options.more = "";
  const LoadTrial trial(kind, server, options);
  const auto job = trial.start("run");
  std::uint64_t peak = 0;
  while (!job->wait(std::chrono::milliseconds(20))) {
    std::ifstream status("/proc/" + std::to_string(job->pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) peak = std::stoull(line.substr(6));
    }
  }
  INFO(job->err());
  REQUIRE(job->wait(std::chrono::milliseconds(0)) == 0);
  trial.require_complete();
  return peak;
}

void check_memory(Kind kind, PrivatePostgres* server) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  WARN("a sanitizer has memory of its own: not measured");
#else
  const std::uint64_t small = peak_kib(kind, server, 400'000);
  const std::uint64_t large = peak_kib(kind, server, 1'600'000);
  INFO(small << " KiB for 400,000 rows, " << large << " KiB for 1,600,000");
  CHECK(large < 64 * 1024);
  CHECK(large < small + 6 * 1024);
#endif
}

}  // namespace

TEST_CASE("PostgreSQL: a load stays under 64 MiB and does not grow with its rows") {
  PrivatePostgres server;
  check_memory(Kind::postgresql_prepared, &server);
}

TEST_CASE("SQLite: a load stays under 64 MiB and does not grow with its rows") { check_memory(Kind::sqlite, nullptr); }
