#include <fstream>

#include "tests/integration/cli/trial_job.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

TEST_CASE("a bounded job loads every row once, and the result is one line on standard output") {
  const TrialJob job("rows: 5000");
  const Ended run = run_xasink({"run", job.file()});
  CHECK(run.code == 0);
  CHECK(job.rows() == 5'000);
  CHECK_THAT(run.out, contains("trial: 5,000 rows committed, checkpoint ") && contains(" rows/s\n"));
  CHECK(std::count(run.out.begin(), run.out.end(), '\n') == 1);
  CHECK_THAT(run.err, contains("info: job trial begins at the start of its source: epoch 1"));
}

TEST_CASE("a finished job that is run again loads nothing") {
  const TrialJob job("rows: 500");
  REQUIRE(run_xasink({"run", job.file()}).code == 0);
  const Ended again = run_xasink({"run", job.file()});
  CHECK(again.code == 0);
  CHECK_THAT(again.out, contains("trial: 0 rows committed"));
  CHECK_THAT(again.err, contains("recovered: epoch 2"));
  CHECK(job.rows() == 500);
}

TEST_CASE("--quiet leaves standard error empty") {
  const TrialJob job("rows: 100");
  const Ended run = run_xasink({"run", job.file(), "--quiet"});
  CHECK(run.code == 0);
  CHECK(run.err.empty());
  CHECK_FALSE(run.out.empty());
}

TEST_CASE("--log-level debug tells of every checkpoint") {
  const TrialJob job("rows: 1000", "checkpoint: {interval: 1s, rows: 250}\n");
  const Ended run = run_xasink({"run", job.file(), "--log-level", "debug"});
  CHECK(run.code == 0);
  CHECK_THAT(run.err, contains("debug: checkpoint ") && contains("committed: 250 rows"));
}

TEST_CASE("an unbounded job without checkpoints is refused") {
  const TrialJob job("seed: 1");
  const Ended run = run_xasink({"run", job.file()});
  CHECK(run.code == 2);
  CHECK(run.out.empty());
}

TEST_CASE("a second process of a running job is refused with exit code 3, and names the first") {
  const TrialJob job("rows_per_second: 1000", "checkpoint: {interval: 50ms}\n");
  const auto first = start_xasink({"run", job.file()});
  REQUIRE(eventually([&] { return job.rows() > 0; }));
  for (const char* command : {"run", "recover"}) {
    const Ended second = run_xasink({command, job.file()});
    CAPTURE(command);
    CHECK(second.code == 3);
    CHECK_THAT(second.err, contains("in use by process " + std::to_string(first->pid())));
  }
  CHECK(first->running());
}

TEST_CASE("a row that can't be stored ends the job with exit code 4, and names file, line and column") {
  const TrialJob job("rows: 1");
  std::ofstream(job.folder() / "rows.csv") << "id,name\n0,first\nx,second\n";
  {
    std::ofstream out(job.file());
    out << "job: trial\nsource: {type: csv, path: \"" << (job.folder() / "rows.csv").string() << "\", header: true}\n"
        << "targets:\n  - url: sqlite:" << job.database().string() << "\n    table: trial\n    create: true\n"
        << "    columns: {id: bigint not null, name: text(40)}\n    primary_key: [id]\nlog: sqlite:"
        << job.log().string() << "\n";
  }
  const Ended run = run_xasink({"run", job.file(), "--json"});
  CHECK(run.code == 4);
  const auto error = run.json()["error"];
  CHECK(error["category"] == "data");
  CHECK_THAT(error["file"].get<std::string>(), contains("rows.csv"));
  CHECK(error["line"] == 3);
  CHECK(error["column"] == "id");
  CHECK(job.rows() == 0);
}

TEST_CASE("a log whose target has seen a newer one is refused with exit code 3") {
  const TrialJob job("rows: 100");
  REQUIRE(run_xasink({"run", job.file()}).code == 0);
  const auto copy = job.folder() / "copy.db";
  std::filesystem::copy_file(job.log(), copy);
  REQUIRE(run_xasink({"run", job.file()}).code == 0);
  std::filesystem::rename(copy, job.log());
  const Ended run = run_xasink({"run", job.file()});
  CHECK(run.code == 3);
  CHECK_THAT(run.err, contains("old copy"));
}

TEST_CASE("a log that is damaged ends with exit code 5") {
  const TrialJob job("rows: 100");
  std::ofstream(job.log()) << std::string(8192, 'x');
  for (const char* command : {"run", "status", "recover"}) {
    const Ended ended = run_xasink({command, job.file()});
    CAPTURE(command, ended.err);
    CHECK(ended.code == 5);
  }
  CHECK(job.rows() == 0);
}
