// Files that are no job, and keys that are wrong wherever they are, with the words they are refused in.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/config/bad_file.hpp"
#include "tests/unit/config/job_file.hpp"

using namespace xasink;
using namespace xasink::test;

namespace {

const std::vector<BadFile> bad_documents{
    {"an empty file", whole_file(""), "job.yaml: the job file is empty", "config/reference.yaml shows every key"},
    {"only a comment", whole_file("# nothing\n"), "job.yaml: the job file is empty",
     "config/reference.yaml shows every key"},
    {"a list", whole_file("- job: a\n"), "job.yaml:1: the file is not a map of keys", "begin with `job: <name>`"},
    {"an indentation by tab", whole_file("job: a\nsource:\n\ttype: csv\n"),
     "job.yaml:3: the line is indented with a tab", "indent with blanks; YAML takes no tabs there"},
    {"an open bracket", whole_file("job: a\nsource: [1, 2\n"),
     "job.yaml:3: YAML can't be read: end of sequence flow not found",
     "check indentation, quotes and brackets, here and in the lines before"},
    {"an open quote at the end of a cut file",
     whole_file("job: a\nsource: {type: jsonl, path: x}\nlog: \"sqlite:x.d\n"),
     "job.yaml:3: the quote is not closed before the end of the file", "close it, and check that the file is complete"},
    {"a variable in braces without quotes", whole_file("job: a\ntargets: [{url: ${URL}, table: t}]\n"),
     "job.yaml:2: YAML can't be read: end of map flow not found",
     "put a value with `${NAME}` in double quotes; inside [ ] and { } YAML asks for that"},
    {"a pattern without quotes", whole_file("job: a\nsource:\n  type: csv\n  path: *.csv\n"),
     "job.yaml:4: YAML can't be read: the referenced anchor is not defined",
     "put a value that begins with `*` in double quotes"},
    {"two values in one line", whole_file("job: a: b\n"), "job.yaml:1: YAML can't be read: illegal map value",
     "check indentation, quotes and brackets, here and in the lines before"},
    {"bad UTF-8", whole_file("job: a\nlog: \"\xff\"\n"), "job.yaml:2: the line is not valid UTF-8",
     "save the job file as UTF-8"},
    {"a control character", whole_file("job: a\n# \x01\n"), "job.yaml:2: the line has a control character",
     "remove it, or write it as an escape in double quotes"},
    {"two documents", whole_file("job: a\n---\njob: b\n"),
     "job.yaml:2: a second YAML document begins here, or text that belongs to none",
     "write one job per file, and check commas and brackets"},
    {"text behind the document", whole_file("{job: a}, x\n"),
     "job.yaml:1: a second YAML document begins here, or text that belongs to none",
     "write one job per file, and check commas and brackets"},
    {"a comma and nothing else", whole_file(",\n"),
     "job.yaml:1: a second YAML document begins here, or text that belongs to none",
     "write one job per file, and check commas and brackets"},
    {"a document of nothing", whole_file("---\n~\n"), "job.yaml:2: the file is not a map of keys",
     "begin with `job: <name>`"},
    {"a tag", whole_file("job: !!binary YQ==\n"), "job.yaml:1: the value has a YAML tag",
     "remove the `!…`; types follow from the key"},
    {"a key that is a list", whole_file("? [job]\n: a\n"), "job.yaml:1: a key is missing or is not a plain word",
     "write `key: value`"},
    {"an empty key", whole_file("job: a\n: b\n"), "job.yaml:2: a key is missing or is not a plain word",
     "write `key: value`"},
    {"a variable as key", whole_file("job: a\n\"${X}\": b\n"), "job.yaml:2: a key has a `${`",
     "only values take variables from the environment"},
    {"a list inside itself", whole_file("job: &x [*x]\n"),
     "job.yaml:1: the file is nested too deeply or has too many values",
     "a job file needs 5 levels; check aliases (`*`)"},
    {"no job", whole_file("source: {type: jsonl, path: x}\n"), "job.yaml:1: `job` is missing",
     "write `job: <name>`; the name ties the job to its transactions"},
    {"a job name in capitals", whole_file("job: Orders\n"),
     "job.yaml:1: `job` is `Orders`, which can't be part of a transaction's name",
     "write 1 to 24 of the characters a to z, 0 to 9, `_` and `-`"},
    {"a job name that is too long", whole_file("job: abcdefghijklmnopqrstuvwxy\n"),
     "job.yaml:1: `job` is `abcdefghijklmnopqrstuvwxy`, which can't be part of a transaction's name",
     "write 1 to 24 of the characters a to z, 0 to 9, `_` and `-`"},
    {"a job without a name", whole_file("job:\nlog: x\n"), "job.yaml:1: `job` has no value, a single value is expected",
     "write one value, in double quotes if it is a text such as `null`"},
    {"a job that is a list", whole_file("job: [a]\n"), "job.yaml:1: `job` is a list, a single value is expected",
     "write one value, in double quotes if it is a text such as `null`"},
    {"an unknown key", whole_file("jobs: a\n"), "job.yaml:1: `jobs` is not a known key", "did you mean `job`?"},
    {"an unknown key far from any", whole_file("job: a\nfoo: 1\n"), "job.yaml:2: `foo` is not a known key",
     "known keys here: job, checkpoint, source, targets, log, spool, retry, branch, recovery"},
    {"a key twice", whole_file("job: a\nlog: sqlite:a\nlog: sqlite:b\n"), "job.yaml:3: the key `log` is there twice",
     "keep one of the two"},
    {"a key twice, deep down", whole_file("job: a\ntargets:\n  - url: x\n    table: a\n    table: b\n"),
     "job.yaml:5: the key `table` is there twice", "keep one of the two"},
    {"a section without keys", with_keys("checkpoint:\n"),
     "job.yaml:2: `checkpoint` has no value, a map of keys is expected",
     "write `key: value` lines, indented, or `{key: value}`"},
    {"a section that is a value", with_keys("checkpoint: 1s\n"),
     "job.yaml:2: `checkpoint` is a single value, a map of keys is expected",
     "write `key: value` lines, indented, or `{key: value}`"},
    {"a section that is an empty map", with_keys("retry: {}\n"), "job.yaml:2: `retry` is an empty map",
     "name at least one key, or leave it out"},
    {"an interval without unit", with_keys("checkpoint: {interval: 5}\n"),
     "job.yaml:2: `checkpoint.interval` is `5`, which has no unit",
     "write a whole number and one of the units ms, s, m, h, such as `500ms` or `30s`"},
    {"an interval in an unknown unit", with_keys("checkpoint: {interval: 5 sec}\n"),
     "job.yaml:2: `checkpoint.interval` is `5 sec`, which has an unknown unit",
     "write a whole number and one of the units ms, s, m, h, such as `500ms` or `30s`"},
    {"an interval with a fraction", with_keys("checkpoint: {interval: 0.5s}\n"),
     "job.yaml:2: `checkpoint.interval` is `0.5s`, which is not a whole number",
     "write a whole number and one of the units ms, s, m, h, such as `500ms` or `30s`"},
    {"an interval that is too short", with_keys("checkpoint: {interval: 9ms}\n"),
     "job.yaml:2: `checkpoint.interval` is `9ms`, out of range", "write a duration from 10ms to 24h"},
    {"a size without unit", with_keys("checkpoint: {bytes: 64}\n"),
     "job.yaml:2: `checkpoint.bytes` is `64`, which has no unit",
     "write a whole number and one of the units B, KiB, MiB, GiB (powers of 1024) or kB, MB, GB (powers of 1000), such "
     "as `64MiB`"},
    {"a size in an unclear unit", with_keys("checkpoint: {bytes: 64MB, rows: 1}\nbranch: {bytes: 64M}\n"),
     "job.yaml:3: `branch.bytes` is `64M`, which has an unknown unit",
     "write a whole number and one of the units B, KiB, MiB, GiB (powers of 1024) or kB, MB, GB (powers of 1000), such "
     "as `64MiB`"},
    {"a size of nothing", with_keys("branch: {bytes: 0B}\n"), "job.yaml:2: `branch.bytes` is `0B`, out of range",
     "write a size from 1B to 1024GiB"},
    {"rows that are no number", with_keys("checkpoint: {rows: 1e6}\n"),
     "job.yaml:2: `checkpoint.rows` is `1e6`, not a whole number", "write a whole number from 1 to 1000000000000"},
    {"no rows", with_keys("checkpoint: {rows: 0}\n"), "job.yaml:2: `checkpoint.rows` is `0`, out of range",
     "write a whole number from 1 to 1000000000000"},
    {"too many checkpoints in flight", with_keys("checkpoint: {max_in_flight: 17}\n"),
     "job.yaml:2: `checkpoint.max_in_flight` is `17`, out of range", "write a whole number from 1 to 16"},
    {"a misspelt key of a section", with_keys("checkpoint:\n  rows: 5\n  max_inflight: 2\n"),
     "job.yaml:4: `checkpoint.max_inflight` is not a known key", "did you mean `max_in_flight`?"},
    {"waits that shrink", with_keys("retry: {initial: 10s, max: 5s}\n"),
     "job.yaml:2: `retry` has a `max` below `initial`", "make `max` the longest of the waits"},
    {"a limit below the first wait", with_keys("retry: {limit: 50ms}\n"),
     "job.yaml:2: `retry` has a `limit` below `initial`", "give one wait time to pass, at least"},
    {"a retention of none", with_keys("recovery: {retention: 0}\n"),
     "job.yaml:2: `recovery.retention` is `0`, out of range", "write a whole number from 1 to 1000000000"},
    {"a spool that is the log", with_keys("spool: log.db\n"), "job.yaml:2: `spool` is the file of the log",
     "name a folder beside it"},
    {"a variable that isn't set", with_keys("spool: /var/${XASINK_TEST_UNSET}/x\n"),
     "job.yaml:2: `spool` needs the environment variable `XASINK_TEST_UNSET`, which is not set",
     "set XASINK_TEST_UNSET before running this job, or write `$${XASINK_TEST_UNSET}` if the text is meant literally"},
    {"a variable without a name", with_keys("spool: /var/${}/x\n"),
     "job.yaml:2: `spool` has a `${` without a variable's name and `}` behind it",
     "write `${NAME}` with letters, digits and `_`, or `$${` for a literal `${`"},
    {"a variable's bad value", with_keys("checkpoint: {rows: \"${XASINK_TEST_SECRET}\"}\n"),
     "job.yaml:2: `checkpoint.rows` is `${XASINK_TEST_SECRET}`, not a whole number",
     "write a whole number from 1 to 1000000000000"},
    {"a variable's unknown word", with_keys("recovery: {sweep: \"${XASINK_TEST_SECRET}\"}\n"),
     "job.yaml:2: `recovery.sweep` is `${XASINK_TEST_SECRET}`, which does not begin with a whole number",
     "write a whole number and one of the units ms, s, m, h, such as `500ms` or `30s`"},
};

}  // namespace

TEST_CASE("a file that is no job is refused in words that tell what is right") { check_refusals(bad_documents); }

TEST_CASE("a zero byte is refused, not taken for the end of the file") {
  const Refusal refused = refusal(std::string("job: a\nlog: b\0c\n", 16));
  CHECK(refused.message == "job.yaml:2: the line has a control character");
}

TEST_CASE("a job file that isn't there, or is none, is named") {
  const TemporaryFolder folder;
  const std::string name = (folder.path() / "job.yaml").string();
  CHECK_THROWS_WITH(config::load_job(name), name + ": there is no such job file");
  CHECK_THROWS_WITH(config::load_job(folder.path()),
                    folder.path().string() + ": a job file is expected, this is a folder");
  std::ofstream(name) << std::string((1U << 20) + 1, '#');
  CHECK_THROWS_WITH(config::load_job(name), name + ": the file has more than 1 MiB, which is no job file");
  if (::geteuid() != 0) {  // root may read everything
    std::filesystem::permissions(name, std::filesystem::perms::none);
    CHECK_THROWS_WITH(config::load_job(name), name + ": the job file can't be read");
  }
}

TEST_CASE("long and odd text is shown shortened and in one line") {
  CHECK(refusal("job: \"a\\n" + std::string(100, 'b') + "\"\n").message ==
        "job.yaml:1: `job` is `a " + std::string(58, 'b') + "…`, which can't be part of a transaction's name");
  CHECK(refusal("job: " + std::string(59, 'c') + "éé\n").message ==
        "job.yaml:1: `job` is `" + std::string(59, 'c') + "…`, which can't be part of a transaction's name");
}

TEST_CASE("a job file that is cut off or damaged at any place loads or is refused, and nothing else") {
  const EnvironmentVariable password("SHOP_PASSWORD", "p");
  std::ifstream stream(std::filesystem::path(XASINK_CONFIG_FOLDER) / "samples/orders-to-postgresql.yaml");
  const std::string whole{std::istreambuf_iterator<char>(stream), {}};
  REQUIRE(refusal(whole).message == "loaded");
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); i += 3) {
    CAPTURE(i);
    const std::string kept = whole.substr(0, i);
    if (refusal(kept).message != "loaded") ++refused;
    static_cast<void>(refusal(kept + whole.substr(i + 1)));
    for (const char other : {'{', ',', '"', '\n'}) {
      static_cast<void>(refusal(kept + other + whole.substr(i + 1)));
    }
  }
  // Only a cut inside the last value, or just behind it, leaves a whole job.
  CHECK(refused > whole.size() / 3 - 20);
}
