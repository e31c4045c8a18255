// Refused before anything is loaded: job file, source, table.
#include <sys/stat.h>

#include "tests/fault/refusal_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

namespace {

/// Both ways of telling, and nothing made or loaded.
void require_refused_at_once(const RefusalTrial& trial, int code, const std::string& category,
                             const std::vector<std::string>& parts) {
  require_refusal(trial.xasink("run"), code, parts);
  require_json_refusal(trial.xasink("run", {"--json"}), code, category, parts);
  CHECK(trial.ids().empty());
  CHECK(trial.spool().empty());
}

JobText existing_table(JobText text = {}) {
  text.target = "";
  return text;
}

}  // namespace

TEST_CASE("an unknown key is refused with file, line and the key that was meant") {
  JobText text;
  text.checkpoint = "chekpoint: {rows: 5}\n";
  require_refused_at_once(RefusalTrial(text), 2, "configuration", {"job.yaml:2", "`chekpoint`", "`checkpoint`?"});
}

TEST_CASE("a wrong or missing unit is refused with file, line and key") {
  JobText text;
  text.more = "retry: {limit: 5 parsecs}\n";
  require_refused_at_once(RefusalTrial(text), 2, "configuration", {"job.yaml:10", "`retry.limit`", "unit", "30s"});
  text.more = "branch: {bytes: 100}\n";
  require_refused_at_once(RefusalTrial(text), 2, "configuration", {"job.yaml:10", "`branch.bytes`", "no unit"});
}

TEST_CASE("a job file that is not there is refused by its name") {
  const RefusalTrial trial;
  for (const std::string command : {"run", "status", "list", "recover"}) {
    require_refusal(trial.command_line({command, "none.yaml"}), 2, {"none.yaml", "no such job file", "check the path"});
  }
}

TEST_CASE("a source file that is not there is refused by its name, and loaded once it is") {
  const RefusalTrial trial;
  std::filesystem::rename(trial.folder() / "in.csv", trial.folder() / "away.csv");
  require_refused_at_once(trial, 2, "configuration", {"in.csv", "source.path"});
  std::filesystem::rename(trial.folder() / "away.csv", trial.folder() / "in.csv");
  REQUIRE(trial.xasink("run").code == 0);
  CHECK(trial.ids() == numbers_to(20));
}

TEST_CASE("a table that is not there is refused by its name, and loaded once it is") {
  const RefusalTrial trial(existing_table());
  trial.target("CREATE TABLE other (id)");
  require_refused_at_once(trial, 3, "preflight", {"no table t", "target.db", "create: true"});
  trial.target("CREATE TABLE t (id bigint not null, name text)");
  REQUIRE(trial.xasink("run").code == 0);
  CHECK(trial.ids() == numbers_to(20));
}

TEST_CASE("a column that is missing in the table or in the file is refused by its name") {
  const RefusalTrial trial(existing_table());
  trial.target("CREATE TABLE t (id bigint not null)");
  require_refused_at_once(trial, 2, "configuration", {"in.csv", "\"name\"", "table t"});
  JobText text;
  text.target = "    columns: {id: bigint, nmae: text}\n";
  trial.write_job(text);
  require_refused_at_once(trial, 3, "preflight", {"table t", "\"nmae\"", "it has: id"});
}

TEST_CASE("a pipe is refused as a source") {
  const RefusalTrial trial;
  std::filesystem::remove(trial.folder() / "in.csv");
  REQUIRE(mkfifo((trial.folder() / "in.csv").c_str(), 0600) == 0);
  require_refused_at_once(trial, 2, "configuration", {"job.yaml:3", "`source.path`", "pipe", "file"});
}

TEST_CASE("a source that never ends is refused without checkpoints") {
  JobText text;
  text.checkpoint = "";
  for (const char* source : {"{type: generator}", "{type: csv, path: in.csv, header: true, follow: true}"}) {
    text.source = source;
    require_refused_at_once(RefusalTrial(text), 2, "configuration", {"job.yaml:2", "`source`", "never ends", "interval"});
  }
}

TEST_CASE("a source file that changed or shrank before the place that was read is refused, and goes on once it is back") {
  const RefusalTrial trial;
  const std::string whole = RefusalTrial::csv(1, 20);
  trial.kill_at("coordinator.decide.before", 3);
  const std::string before = trial.ids();
  REQUIRE(before == numbers_to(10));

  std::string changed = whole;
  changed.replace(changed.find("name 3"), 6, "gnome3");
  trial.write("in.csv", changed);
  require_refusal(trial.xasink("run"), 3, {"in.csv", "changed since it was read", "restore"});
  trial.write("in.csv", whole.substr(0, 40));
  require_refusal(trial.xasink("run"), 3, {"in.csv", "has shrunk", "restore"});
  std::filesystem::remove(trial.folder() / "in.csv");
  require_refusal(trial.xasink("run"), 2, {"in.csv"});
  CHECK(trial.ids() == before);

  trial.write("in.csv", whole);
  REQUIRE(trial.xasink("run").code == 0);
  CHECK(trial.ids() == numbers_to(20));
  CHECK(trial.spool().empty());
}

TEST_CASE("a wrong command line is refused in one sentence, as JSON too") {
  const RefusalTrial trial;
  require_refusal(trial.command_line({"laod", "job.yaml"}), 2, {"'laod'", "run, status, list, recover and version"});
  require_refusal(trial.command_line({"run"}), 2, {"needs a job file"});
  require_refusal(trial.xasink("status", {"--last", "all"}), 2, {"--last", "'all'"});
  require_json_refusal(trial.command_line({"run", "--json", "--fast", "job.yaml"}), 2, "usage", {"'--fast'"});
}
