// Rows that can't be stored as they are: exit code 4, the row named, nothing of its checkpoint there.
#include <functional>

#include "tests/fault/refusal_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

namespace {

constexpr const char* kLongNumber = "123456789012345678901234567890123456789012345678901234567890";

JobText at(const PrivatePostgres& server, const std::string& protocol = "prepared") {
  JobText text;
  text.url = server.url();
  text.target =
      "    create: true\n    columns: {id: bigint not null, name: text(20)}\n    primary_key: [id]\n    writers: 2\n    "
      "protocol: " +
      protocol + "\n";
  return text;
}

std::string ids_at(const PrivatePostgres& server) {
  return server.value("SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') FROM t");
}

std::string prepared_at(const PrivatePostgres& server) { return server.value("SELECT count(*) FROM pg_prepared_xacts"); }

/// Whole checkpoints of five rows; how many of those before the bad row were decided in time is up to the moment.
bool whole_checkpoints(const std::string& ids) {
  return ids.empty() || ids == numbers_to(5) || ids == numbers_to(10) || ids == numbers_to(15) || ids == numbers_to(20);
}

void check_wrong_value(const RefusalTrial& trial, const std::function<std::string()>& ids,
                       const std::function<std::string()>& prepared) {
  const std::string good = RefusalTrial::csv(1, 20);
  std::string bad = good;
  bad.replace(bad.find("\n18,") + 1, 2, kLongNumber);
  trial.write("in.csv", bad);
  require_refusal(trial.xasink("run"), 4, {"in.csv:19: ", "column \"id\"", "\"12345678", "…\"", "out of range", "correct"});
  // Whole checkpoints before it, nothing of its own.
  const std::string there = ids();
  INFO(there);
  CHECK(whole_checkpoints(there));
  CHECK(there != numbers_to(20));
  CHECK(prepared() == "0");
  CHECK(trial.spool().empty());

  const RunEnd json = trial.xasink("run", {"--json"});
  require_json_refusal(json, 4, "data", {"in.csv:19: ", "column \"id\""});
  CHECK_THAT(json.out, contains("\"file\": \"in.csv\"") && contains("\"line\": 19") && contains("\"column\": \"id\""));
  CHECK(json.out.find(kLongNumber) == std::string::npos);  // shortened

  trial.write("in.csv", good);
  REQUIRE(trial.xasink("run").code == 0);
  CHECK(ids() == numbers_to(20));
  CHECK(prepared() == "0");
  CHECK(trial.spool().empty());
}

}  // namespace

TEST_CASE("a value that does not fit is refused with its place, and SQLite has nothing of its checkpoint") {
  const RefusalTrial trial;
  check_wrong_value(trial, [&] { return trial.ids(); }, [] { return "0"; });
}

TEST_CASE("a value that does not fit is refused with its place, and PostgreSQL has nothing of its checkpoint") {
  for (const std::string protocol : {"prepared", "staged"}) {
    PrivatePostgres server;
    const RefusalTrial trial(at(server, protocol));
    check_wrong_value(
        trial, [&] { return server.value("SELECT to_regclass('t') IS NULL") == "t" ? "" : ids_at(server); },
        [&] { return prepared_at(server); });
  }
}

TEST_CASE("a value that is too long, NULL or not of its type is refused with its place") {
  const RefusalTrial trial;
  const std::string good = RefusalTrial::csv(1, 2);
  const auto with_line = [&](const std::string& line) { trial.write("in.csv", good + line + "\n"); };
  with_line("3,a name of more than twenty letters");
  require_refusal(trial.xasink("run"), 4, {"in.csv:4: ", "column \"name\"", "34 characters", "text(20)"});
  with_line(",nameless");
  require_refusal(trial.xasink("run"), 4, {"in.csv:4: ", "column \"id\"", "NULL"});
  with_line("three,x");
  require_refusal(trial.xasink("run"), 4, {"in.csv:4: ", "column \"id\"", "\"three\""});
  with_line("3");
  require_refusal(trial.xasink("run"), 4, {"in.csv:4: ", "field"});
  with_line("3,\"open");
  require_refusal(trial.xasink("run"), 4, {"in.csv:4: ", "quote"});
  CHECK(trial.ids().empty());
  with_line("3,fits");
  REQUIRE(trial.xasink("run").code == 0);
  CHECK(trial.ids() == numbers_to(3));
}

TEST_CASE("PostgreSQL: a duplicate key names file and line of the row, and nothing of its checkpoint is there") {
  PrivatePostgres server;
  const RefusalTrial trial(at(server));
  trial.write("in.csv", RefusalTrial::csv(1, 20) + "7,again\n22,after\n");
  require_refusal(trial.xasink("run"), 4, {"in.csv:22: ", "duplicate key", "(id)=(7)", "remove the row"});
  CHECK(whole_checkpoints(ids_at(server)));
  CHECK(prepared_at(server) == "0");
  require_json_refusal(trial.xasink("run", {"--json"}), 4, "data", {"in.csv:22: ", "\"t_pkey\""});
  trial.write("in.csv", RefusalTrial::csv(1, 21));
  REQUIRE(trial.xasink("run").code == 0);
  CHECK(ids_at(server) == numbers_to(21));
  CHECK(prepared_at(server) == "0");
}

TEST_CASE("staged: a duplicate key shows when its checkpoint is decided, and is committed once the cause is gone") {
  PrivatePostgres server;
  const RefusalTrial trial(at(server, "staged"));
  trial.write("in.csv", RefusalTrial::csv(1, 20) + "7,again\n");
  for (int i = 0; i < 2; ++i) {
    require_refusal(trial.xasink("run"), 5, {"in.csv:22: ", "duplicate key", "(id)=(7)", "decided"});
    CHECK(ids_at(server) == numbers_to(20));
    CHECK(trial.spool().size() == 1);
  }
  server.query("DELETE FROM t WHERE id = 7");
  REQUIRE(trial.xasink("run").code == 0);
  CHECK(ids_at(server) == numbers_to(20));
  CHECK(server.value("SELECT name FROM t WHERE id = 7") == "again");
  CHECK(trial.spool().empty());
}
