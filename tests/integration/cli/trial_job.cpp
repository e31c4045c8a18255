#include "tests/integration/cli/trial_job.hpp"

#include <fstream>
#include <thread>

#include "tests/support/catch.hpp"
#include "txn/log/sqlite_handle.hpp"

namespace xasink::test {
namespace {

std::vector<std::string> command_line(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{XASINK_PROGRAM};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

}  // namespace

Ended run_xasink(const std::vector<std::string>& arguments, const std::string& fault) {
  Process::Options options;
  options.environment["XASINK_FAULT"] = fault;
  Process process(command_line(arguments), options);
  const auto code = process.wait(std::chrono::minutes(1));
  if (!code) FAIL("xasink does not end: " << process.err());
  return {*code, process.out(), process.err()};
}

std::unique_ptr<Process> start_xasink(const std::vector<std::string>& arguments) {
  return std::make_unique<Process>(command_line(arguments));
}

TrialJob::TrialJob(const std::string& source, const std::string& more) { write(source, more); }

void TrialJob::write(const std::string& source, const std::string& more) const {
  std::ofstream out(file());
  out << "job: trial\n"
      << "source: {type: generator, " << source << "}\n"
      << "targets:\n"
      << "  - url: sqlite:" << database().string() << "\n"
      << "    table: trial\n"
      << "    create: true\n"
      << "    columns: {id: bigint not null, name: text(40)}\n"
      << "    primary_key: [id]\n"
      << "log: sqlite:" << log().string() << "\n"
      << more;
  REQUIRE(out.flush());
}

std::uint64_t TrialJob::rows() const {
  if (!std::filesystem::exists(database())) return 0;
  txn::SqliteHandle handle(database(), SQLITE_OPEN_READWRITE);
  if (handle.query_integer("SELECT count(*) FROM sqlite_schema WHERE name = 'trial'") == 0) return 0;
  const auto count = handle.query_integer("SELECT count(*) FROM trial");
  // The numbers are the primary key, so that this is so only without a gap.
  CHECK(handle.query_integer("SELECT coalesce(max(id), -1) FROM trial") == count - 1);
  CHECK(handle.query_integer("SELECT coalesce(min(id), 0) FROM trial") == 0);
  return static_cast<std::uint64_t>(count);
}

bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace xasink::test
