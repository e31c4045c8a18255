// Sources, targets and logs that are wrong, with the words they are refused in.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/config/bad_file.hpp"
#include "tests/unit/config/job_file.hpp"

using namespace xasink;
using namespace xasink::test;

namespace {

const std::vector<BadFile> bad_sections{
    {"no type", with_source("{path: x}"), "job.yaml:2: `source.type` is missing",
     "write `type: csv`, `jsonl` or `generator`"},
    {"an unknown type", with_source("{type: cvs, path: x}"),
     "job.yaml:2: `source.type` is `cvs`, which it doesn't take",
     "did you mean `csv`? write one of csv, jsonl, generator"},
    {"a variable's unknown type", with_source("{type: \"${XASINK_TEST_SECRET}\", path: x}"),
     "job.yaml:2: `source.type` is `${XASINK_TEST_SECRET}`, which it doesn't take",
     "write one of csv, jsonl, generator"},
    {"no path", with_source("{type: csv}"), "job.yaml:2: `source.path` is missing",
     "name a file or a pattern, as in `path: \"orders/*.csv\"`, or a list"},
    {"an empty path", with_source("{type: jsonl, path: \"\"}"), "job.yaml:2: `source.path` is empty",
     "write a value, or leave the key out if it is optional"},
    {"no paths", with_source("{type: jsonl, path: []}"), "job.yaml:2: `source.path` is an empty list",
     "name at least one"},
    {"a path twice", with_source("{type: jsonl, path: [a, b, a]}"),
     "job.yaml:2: `source.path[2]` is `a`, which is in the list already", "name each once"},
    {"a path that is a map", with_source("{type: jsonl, path: {a: b}}"),
     "job.yaml:2: `source.path` is a map of keys, a single value is expected",
     "write one value, in double quotes if it is a text such as `null`"},
    {"the standard input", with_source("{type: jsonl, path: \"-\"}"),
     "job.yaml:2: `source.path` is the standard input, which can't go back to a position, so rows would be lost or "
     "doubled after a failure",
     "write the rows to a file and load that"},
    {"the standard input by name", with_source("{type: jsonl, path: [a, /dev/stdin]}"),
     "job.yaml:2: `source.path[1]` is the standard input, which can't go back to a position, so rows would be lost or "
     "doubled after a failure",
     "write the rows to a file and load that"},
    {"a character device", with_source("{type: jsonl, path: /dev/null}"),
     "job.yaml:2: `source.path` is a character device, which can't go back to a position, so rows would be lost or "
     "doubled after a failure",
     "write the rows to a file and load that"},
    {"a folder", with_source("{type: jsonl, path: /dev}"), "job.yaml:2: `source.path` is a folder, files are expected",
     "name the files in it, as in `folder/*.csv`"},
    {"csv without names", with_source("{type: csv, path: x}"),
     "job.yaml:2: `source` doesn't say what the fields of a record are",
     "add `header: true` if the first record names them, else `columns: [names in order]`"},
    {"csv with two sets of names", with_source("{type: csv, path: x, header: true, columns: [a]}"),
     "job.yaml:2: `source.columns` is given, but with `header: true` the file names its columns",
     "leave one of the two out"},
    {"a boolean in other words", with_source("{type: csv, path: x, header: yes}"),
     "job.yaml:2: `source.header` is `yes`, which it doesn't take", "write one of false, true"},
    {"a delimiter of two characters", with_source("{type: csv, path: x, header: true, delimiter: \"||\"}"),
     "job.yaml:2: `source.delimiter` is `||`, not one ASCII character",
     "write one character in double quotes, such as \";\" or \"\\t\""},
    {"a delimiter beyond ASCII", with_source("{type: csv, path: x, header: true, delimiter: \"§\"}"),
     "job.yaml:2: `source.delimiter` is `§`, not one ASCII character",
     "write one character in double quotes, such as \";\" or \"\\t\""},
    {"quote and delimiter the same", with_source("{type: csv, path: x, header: true, delimiter: \"'\", quote: \"'\"}"),
     "job.yaml:2: `source` has one character for both `quote` and `delimiter`", "choose two different ones"},
    {"a null without quotes", with_source("{type: csv, path: x, header: true, null: NULL}"),
     "job.yaml:2: `source.null` has no value, a single value is expected",
     "write one value, in double quotes if it is a text such as `null`"},
    {"a null that can't be a field", with_source("{type: csv, path: x, header: true, null: \",\"}"),
     "job.yaml:2: `source.null` is a text that no unquoted field can be", "leave out delimiter, quote and line breaks"},
    {"a key of another type", with_source("{type: jsonl, path: x, header: true}"),
     "job.yaml:2: `source.header` is only for `type: csv`, this source has `type: jsonl`", "leave it out"},
    {"a key of files", with_source("{type: generator, rows: 5, path: x}"),
     "job.yaml:2: `source.path` is only for files, this source has `type: generator`", "leave it out"},
    {"a key of generators", with_source("{type: csv, path: x, header: true, seed: 5}"),
     "job.yaml:2: `source.seed` is only for `type: generator`, this source has `type: csv`", "leave it out"},
    {"a rate of nothing", with_source("{type: generator, rows: 5, rows_per_second: 0}"),
     "job.yaml:2: `source.rows_per_second` is `0`, not a positive number up to 1000000000",
     "write rows per second, such as `2500` or `0.5`, or leave the key out for no limit"},
    {"a rate that is no number", with_source("{type: generator, rows: 5, rows_per_second: fast}"),
     "job.yaml:2: `source.rows_per_second` is `fast`, not a positive number up to 1000000000",
     "write rows per second, such as `2500` or `0.5`, or leave the key out for no limit"},
    {"an endless generator without checkpoints", with_source("{type: generator}"),
     "job.yaml:2: `source` never ends, and no checkpoint would ever commit its rows",
     "add `checkpoint: {interval: 1s}`, or `rows` or `bytes` there, or let the source end"},
    {"a followed file without checkpoints", with_source("{type: jsonl, path: x, follow: true}"),
     "job.yaml:2: `source` never ends, and no checkpoint would ever commit its rows",
     "add `checkpoint: {interval: 1s}`, or `rows` or `bytes` there, or let the source end"},
    {"no targets", whole_file("job: a\nsource: {type: jsonl, path: x}\nlog: sqlite:log.db\n"),
     "job.yaml:1: `targets` is missing", "write `targets:` and one item per table behind `- `"},
    {"an empty list of targets",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: []\nlog: sqlite:log.db\n"),
     "job.yaml:3: `targets` is an empty list", "name at least one"},
    {"targets that are one map",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: {url: \"sqlite:x\", table: t}\n"),
     "job.yaml:3: `targets` is a map of keys, a list is expected", "write `[a, b]`, or one item per line behind `- `"},
    {"the same table twice",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets:\n  - {url: \"sqlite:x\", table: t}\n  - {url: "
                "\"sqlite:x\", table: u}\n  - {url: \"sqlite:x\", table: t}\n"),
     "job.yaml:6: `targets[2]` is the same table as the target in line 4",
     "name each table once; more `writers` load it in parallel"},
    {"a misspelt key of a target", with_target("table: t\n    writrs: 2\n"),
     "job.yaml:6: `targets[0].writrs` is not a known key", "did you mean `writers`?"},
    {"no table", with_target("writers: 2\n"), "job.yaml:4: `targets[0].table` is missing",
     "write `table: <name>`, or `<schema>.<name>`"},
    {"a mode of another kind", with_target("table: t\n    mode: upsert\n"),
     "job.yaml:6: `targets[0].mode` is `upsert`, but rows can only be inserted",
     "write `mode: insert` or leave it out"},
    {"too many writers", with_target("table: t\n    writers: 65\n"),
     "job.yaml:6: `targets[0].writers` is `65`, out of range", "write a whole number from 1 to 64"},
    {"no writers", with_target("table: t\n    writers: 0\n"), "job.yaml:6: `targets[0].writers` is `0`, out of range",
     "write a whole number from 1 to 64"},
    {"an unknown protocol", with_target("table: t\n    protocol: stage\n"),
     "job.yaml:6: `targets[0].protocol` is `stage`, which it doesn't take",
     "did you mean `staged`? write one of prepared, staged"},
    {"create without columns", with_target("table: t\n    create: true\n"),
     "job.yaml:4: `targets[0]` has `create: true` but no `columns`",
     "add `columns: {name: type, …}`, or make the table yourself"},
    {"an unknown column type", with_target("table: t\n    columns: {id: bigint, note: txt not null}\n"),
     "job.yaml:6: `targets[0].columns.note` is `txt not null`, which is no column type",
     "write int8 to int64, uint8 to uint64, float32, float64, decimal(p,s), text, text(n), bytes, boolean, date, time, "
     "timestamp, timestamptz, uuid, json or the SQL spelling, and `not null` behind it if so"},
    {"a type with a comma without quotes", with_target("table: t\n    columns: {id: bigint, price: numeric(12,2)}\n"),
     "job.yaml:6: `targets[0].columns.price` is `numeric(12`, which is no column type",
     "put the type in double quotes; inside { } and [ ] a value ends at a comma"},
    {"a column without type", with_target("table: t\n    columns: {id: }\n"),
     "job.yaml:6: `targets[0].columns.id` has no value, a single value is expected",
     "write one value, in double quotes if it is a text such as `null`"},
    {"no columns", with_target("table: t\n    columns: []\n"), "job.yaml:6: `targets[0].columns` is an empty list",
     "name at least one"},
    {"columns without types", with_target("table: t\n    columns: [id, note]\n"),
     "job.yaml:6: `targets[0].columns[0]` is a single value, a map of keys is expected",
     "write `key: value` lines, indented, or `{key: value}`"},
    {"a column in a list without type", with_target("table: t\n    columns: [{name: id}]\n"),
     "job.yaml:6: `targets[0].columns[0].type` is missing", "write `type: bigint`, or another column type"},
    {"a misspelt key of a column", with_target("table: t\n    columns: [{name: id, type: bigint, null: false}]\n"),
     "job.yaml:6: `targets[0].columns[0].null` is not a known key", "known keys here: name, type, nullable"},
    {"a column twice in a list",
     with_target("table: t\n    columns: [{name: id, type: bigint}, {name: id, type: text}]\n"),
     "job.yaml:6: `targets[0].columns[1]` names a column that is in the list already", "name each column once"},
    {"a column twice in a map", with_target("table: t\n    columns:\n      id: bigint\n      id: text\n"),
     "job.yaml:8: the key `id` is there twice", "keep one of the two"},
    {"a primary key without create", with_target("table: t\n    primary_key: [id]\n"),
     "job.yaml:6: `targets[0].primary_key` is given without `create: true`", "leave it out; the table has its own key"},
    {"a primary key that is no column",
     with_target("table: t\n    create: true\n    columns: {id: bigint}\n    primary_key: [ID]\n"),
     "job.yaml:8: `targets[0].primary_key[0]` is `ID`, which `columns` doesn't have", "spell it as `columns` does"},
    {"a primary key that may be null",
     with_target("table: t\n    create: true\n    columns: {id: bigint null}\n    primary_key: [id]\n"),
     "job.yaml:8: `targets[0].primary_key[0]` is `id`, which `columns` lets be null", "make the column `not null`"},
    {"a URL that is none",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"//app:hunter2@db/shop\", table: t}]\n"),
     "job.yaml:3: `targets[0].url` is not a URL",
     "write `postgresql://user@host/database` or `sqlite:///path`, and a password as `${NAME}`"},
    {"a URL with a line break",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"sqlite:hunter2\\nx\", table: t}]\n"),
     "job.yaml:3: `targets[0].url` has a control character", "remove line breaks and tabs from the value"},
    {"a URL without scheme",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"${XASINK_TEST_SECRET}\", table: t}]\n"),
     "job.yaml:3: `targets[0].url` is not a URL",
     "write `postgresql://user@host/database` or `sqlite:///path`, and a password as `${NAME}`"},
    {"no log",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"sqlite:x\", table: t}]\nspool: x\n"),
     "job.yaml:1: `log` is missing", "write `log: sqlite:///path/of/a/file.db`; it keeps what was committed"},
    {"a log on a server",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"sqlite:x\", table: t}]\nlog: "
                "postgresql://app:hunter2@db/shop\n"),
     "job.yaml:4: `log` asks for a `postgresql:` log, only SQLite files are supported",
     "write `sqlite:///absolute/path.db` or `sqlite:relative/path.db`"},
    {"a log of no scheme",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"sqlite:x\", table: t}]\nlog: hunter2@db\n"),
     "job.yaml:4: `log` asks for another kind of log, only SQLite files are supported",
     "write `sqlite:///absolute/path.db` or `sqlite:relative/path.db`"},
    {"a log from a variable",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"sqlite:x\", table: t}]\nlog: "
                "${XASINK_TEST_SECRET}\n"),
     "job.yaml:4: `log` asks for another kind of log, only SQLite files are supported",
     "write `sqlite:///absolute/path.db` or `sqlite:relative/path.db`"},
    {"a log on a host",
     whole_file(
         "job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"sqlite:x\", table: t}]\nlog: sqlite://host/x.db\n"),
     "job.yaml:4: `log` names a host; a SQLite file is on this machine",
     "write `sqlite:///absolute/path.db` or `sqlite:relative/path.db`"},
    {"a log in memory",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"sqlite:x\", table: t}]\nlog: "
                "\"sqlite::memory:\"\n"),
     "job.yaml:4: `log` is a database in memory, which would forget every decision",
     "write `sqlite:///absolute/path.db` or `sqlite:relative/path.db`"},
    {"a log without file",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"sqlite:x\", table: t}]\nlog: \"sqlite:\"\n"),
     "job.yaml:4: `log` names no file", "write `sqlite:///absolute/path.db` or `sqlite:relative/path.db`"},
    {"a log that is a folder",
     whole_file(
         "job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"sqlite:x\", table: t}]\nlog: sqlite:///dev\n"),
     "job.yaml:4: `log` is a folder, a file is expected", "name a file in it"},
    {"a log with options",
     whole_file("job: a\nsource: {type: jsonl, path: x}\ntargets: [{url: \"sqlite:x\", table: t}]\nlog: "
                "sqlite:x.db?mode=ro\n"),
     "job.yaml:4: `log` has options behind a `?`", "the log takes none; leave them out"},
};

}  // namespace

TEST_CASE("a wrong source, target or log is refused in words that tell what is right") { check_refusals(bad_sections); }

TEST_CASE("a pipe and a socket are refused as sources, wherever they are") {
  const TemporaryFolder folder;
  const std::string pipe = (folder.path() / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), S_IRUSR | S_IWUSR) == 0);
  CHECK(refusal(with_source("{type: jsonl, path: " + pipe + "}")).message ==
        "job.yaml:2: `source.path` is a pipe, which can't go back to a position, so rows would be lost or doubled "
        "after a "
        "failure");

  const std::string link = (folder.path() / "link").string();
  std::filesystem::create_symlink(pipe, link);
  CHECK_THAT(refusal(with_source("{type: jsonl, path: [x, " + link + "]}")).message,
             contains("`source.path[1]` is a pipe, which"));

  const std::string name = (folder.path() / "socket").string();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(name.copy(static_cast<char*>(address.sun_path), sizeof(address.sun_path) - 1) == name.size());
  const int handle = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(handle >= 0);
  const int bound = ::bind(handle, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  ::close(handle);
  REQUIRE(bound == 0);
  CHECK_THAT(refusal(with_source("{type: jsonl, path: " + name + "}")).message,
             contains("`source.path` is a socket, which can't go back to a position"));
}

TEST_CASE("a value from the environment is in no refusal, whatever the key") {
  const std::vector<std::string> keys{"job",
                                      "checkpoint.interval",
                                      "checkpoint.rows",
                                      "checkpoint.bytes",
                                      "checkpoint.max_in_flight",
                                      "source.type",
                                      "source.path",
                                      "source.header",
                                      "source.delimiter",
                                      "source.quote",
                                      "source.null",
                                      "source.follow",
                                      "target.url",
                                      "target.table",
                                      "target.mode",
                                      "target.writers",
                                      "target.protocol",
                                      "target.create",
                                      "target.type",
                                      "target.primary_key",
                                      "log",
                                      "spool",
                                      "retry.initial",
                                      "retry.max",
                                      "retry.limit",
                                      "retry.silence",
                                      "branch.rows",
                                      "branch.bytes",
                                      "recovery.sweep",
                                      "recovery.retention"};
  for (const char* value : {"hunter2", "hunter2 s", "7hunter2", "postgresql://app:hunter2@db", "sqlite://hunter2/",
                            "a\nhunter2", "${hunter2}", "csvhunter2"}) {
    const EnvironmentVariable secret("XASINK_TEST_SECRET", value);
    for (const std::string& key : keys) {
      const auto get = [&](const std::string& name, const char* otherwise) {
        return name == key ? std::string("\"${XASINK_TEST_SECRET}\"") : std::string(otherwise);
      };
      const std::string text =
          "job: " + get("job", "a") + "\ncheckpoint: {interval: " + get("checkpoint.interval", "1s") +
          ", rows: " + get("checkpoint.rows", "5") + ", bytes: " + get("checkpoint.bytes", "5B") +
          ", max_in_flight: " + get("checkpoint.max_in_flight", "2") +
          "}\nsource: {type: " + get("source.type", "csv") + ", path: " + get("source.path", "x") +
          ", header: " + get("source.header", "true") + ", delimiter: " + get("source.delimiter", "\";\"") +
          ", quote: " + get("source.quote", "\"'\"") + ", null: " + get("source.null", "x") +
          ", follow: " + get("source.follow", "true") + "}\ntargets:\n  - url: " + get("target.url", "sqlite:x") +
          "\n    table: " + get("target.table", "t") + "\n    mode: " + get("target.mode", "insert") +
          "\n    writers: " + get("target.writers", "2") + "\n    protocol: " + get("target.protocol", "staged") +
          "\n    create: " + get("target.create", "true") + "\n    columns: {id: " + get("target.type", "bigint") +
          "}\n    primary_key: [" + get("target.primary_key", "id") + "]\nlog: " + get("log", "sqlite:x") +
          "\nspool: " + get("spool", "x") + "\nretry: {initial: " + get("retry.initial", "1s") +
          ", max: " + get("retry.max", "1s") + ", limit: " + get("retry.limit", "1s") +
          ", silence: " + get("retry.silence", "1s") +
          "}\nbranch: {rows: " + get("branch.rows", "1") + ", bytes: " + get("branch.bytes", "1B") +
          "}\nrecovery: {sweep: " + get("recovery.sweep", "1s") + ", retention: " + get("recovery.retention", "1") +
          "}\n";
      CAPTURE(key, value);
      const Refusal refused = refusal(text);
      CHECK(refused.message.find("hunter2") == std::string::npos);
      CHECK(refused.hint.find("hunter2") == std::string::npos);
      CHECK(refused.message.find("YAML") == std::string::npos);
      const bool free_text = key == "source.path" || key == "source.null" || key == "target.url" ||
                             key == "target.table" || key == "log" || key == "spool";
      if (!free_text) CHECK_THAT(refused.message, contains("job.yaml:"));
    }
  }
}

TEST_CASE("a password in the job file is in no refusal of its URL") {
  for (const char* rest : {"table: t\n    writrs: 2\n", "table: t\n    create: true\n", "writers: 2\n"}) {
    std::string text = with_target(rest);
    text.replace(text.find("sqlite:x"), std::string("sqlite:x").size(), "postgresql://app:hunter2@db/shop");
    const Refusal refused = refusal(text);
    CHECK_THAT(refused.message, contains("`targets[0]"));
    CHECK(refused.message.find("hunter2") == std::string::npos);
  }
}
