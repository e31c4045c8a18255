#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <variant>

#include "tests/support/catch.hpp"
#include "tests/unit/config/job_file.hpp"
#include "xasink/error.hpp"
#include "xasink/schema.hpp"
#include "xasink/xid.hpp"

using namespace std::chrono_literals;
using namespace xasink;
using namespace xasink::config;
using xasink::test::EnvironmentVariable;
using xasink::test::load_text;

namespace {

const std::filesystem::path folder = XASINK_CONFIG_FOLDER;

Column column(const char* name, TypeKind kind, bool nullable) { return {name, ColumnType{kind}, nullable}; }

}  // namespace

TEST_CASE("the reference file loads, and shows the defaults") {
  const EnvironmentVariable password("SHOP_PASSWORD", "p");
  const JobConfig reference = load_job(folder / "reference.yaml");
  CHECK(reference.file == folder / "reference.yaml");
  CHECK(reference.job == "reference");
  CHECK(reference.checkpoint.interval == 1s);
  CHECK(reference.checkpoint.rows == 500'000);
  CHECK(reference.checkpoint.bytes == 64U << 20);
  CHECK(reference.log_path == "/var/lib/xasink/reference.db");
  REQUIRE(reference.targets.size() == 1);
  CHECK(reference.targets[0].url == "postgresql://app:p@db/shop");
  CHECK(reference.targets[0].columns.size() == 7);
  CHECK(reference.targets[0].primary_key == std::vector<std::string>{"id"});

  // Values that the reference calls defaults are those of a job that leaves them out.
  const JobConfig least = load_text(
      "job: least\n"
      "source: {type: csv, path: x.csv, header: true}\n"
      "targets: [{url: 'sqlite:x.db', table: t}]\n"
      "log: sqlite:///var/lib/xasink/reference.db\n");
  CHECK(reference.checkpoint.max_in_flight == least.checkpoint.max_in_flight);
  const auto& file = std::get<FileSourceConfig>(reference.source);
  const auto& least_file = std::get<FileSourceConfig>(least.source);
  CHECK(file.format == least_file.format);
  CHECK(file.delimiter == least_file.delimiter);
  CHECK(file.quote == least_file.quote);
  CHECK(file.null_text == "");
  CHECK(file.follow == least_file.follow);
  CHECK(reference.targets[0].writers == least.targets[0].writers);
  CHECK(reference.spool == least.spool);
  CHECK(reference.retry.initial == least.retry.initial);
  CHECK(reference.retry.max == least.retry.max);
  CHECK(reference.retry.limit == least.retry.limit);
  CHECK(reference.retry.silence == least.retry.silence);
  CHECK(reference.branch_rows == least.branch_rows);
  CHECK(reference.branch_bytes == least.branch_bytes);
  CHECK(reference.recovery.sweep == least.recovery.sweep);
  CHECK(reference.recovery.retention == least.recovery.retention);
}

TEST_CASE("a job that says only what is required takes the defaults") {
  const JobConfig job = load_text(
      "job: least\n"
      "source: {type: jsonl, path: x.jsonl}\n"
      "targets:\n"
      "  - {url: 'sqlite:x.db', table: t}\n"
      "log: sqlite:log.db\n");
  CHECK_FALSE(job.checkpoint.interval);
  CHECK(job.checkpoint.rows == 0);
  CHECK(job.checkpoint.bytes == 0);
  CHECK(job.checkpoint.max_in_flight == 2);
  CHECK(std::get<FileSourceConfig>(job.source).format == FileFormat::jsonl);
  CHECK(std::get<FileSourceConfig>(job.source).paths == std::vector<std::string>{"x.jsonl"});
  CHECK_FALSE(std::get<FileSourceConfig>(job.source).null_text);
  CHECK(job.targets[0].writers == 1);
  CHECK_FALSE(job.targets[0].protocol);
  CHECK_FALSE(job.targets[0].create);
  CHECK(job.targets[0].columns.empty());
  CHECK(job.targets[0].line == 4);
  CHECK(job.log == "sqlite:log.db");
  CHECK(job.log_path == std::filesystem::current_path() / "log.db");
  CHECK(job.spool == std::filesystem::current_path() / "log.db.spool");
  CHECK(job.retry.initial == 100ms);
  CHECK(job.retry.max == 5s);
  CHECK(job.retry.limit == 60s);
  CHECK(job.retry.silence == 60s);
  CHECK(job.branch_rows == 1'000'000);
  CHECK(job.branch_bytes == 256U << 20);
  CHECK(job.recovery.sweep == 30s);
  CHECK(job.recovery.retention == 10'000);
}

TEST_CASE("every key reaches its value") {
  const EnvironmentVariable url("XASINK_TEST_URL", "postgresql://app:s3cret@db/shop");
  const EnvironmentVariable writers("XASINK_TEST_WRITERS", "64");
  const JobConfig job = load_text(
      "job: a_b-9\n"
      "checkpoint: {interval: 10ms, rows: 7, bytes: 2kB, max_in_flight: 16}\n"
      "source: {type: csv, path: [a.csv, 'b/*.csv'], columns: [id, note, 'null'], delimiter: \"\\t\", quote: \"'\",\n"
      "         null: \\N, follow: true, header: false}\n"
      "targets:\n"
      "  - url: ${XASINK_TEST_URL}\n"
      "    table: public.orders\n"
      "    mode: insert\n"
      "    protocol: staged\n"
      "    writers: ${XASINK_TEST_WRITERS}\n"
      "    create: true\n"
      "    columns: {id: bigint, note: text(10)  NOT  Null, null: date null, 'Odd Name': 'numeric(12,2)'}\n"
      "    primary_key: [id, Odd Name]\n"
      "  - url: ${XASINK_TEST_URL}\n"
      "    table: other\n"
      "    protocol: prepared\n"
      "    columns: [{name: b, type: boolean, nullable: false}, {type: uuid, name: a}]\n"
      "log: sqlite:./sub/../log.db\n"
      "spool: ./spool\n"
      "retry: {initial: 1ms, max: 2s, limit: 3m, silence: 4s}\n"
      "branch: {rows: 5, bytes: 6MiB}\n"
      "recovery: {sweep: 1h, retention: 8}\n");
  CHECK(job.job == "a_b-9");
  CHECK(job.checkpoint.interval == 10ms);
  CHECK(job.checkpoint.rows == 7);
  CHECK(job.checkpoint.bytes == 2000);
  CHECK(job.checkpoint.max_in_flight == 16);

  const auto& source = std::get<FileSourceConfig>(job.source);
  CHECK(source.format == FileFormat::csv);
  CHECK(source.paths == std::vector<std::string>{"a.csv", "b/*.csv"});
  CHECK(source.columns == std::vector<std::string>{"id", "note", "null"});
  CHECK(source.delimiter == '\t');
  CHECK(source.quote == '\'');
  CHECK(source.null_text == "\\N");
  CHECK(source.follow);
  CHECK_FALSE(source.header);

  REQUIRE(job.targets.size() == 2);
  CHECK(job.targets[0].url == "postgresql://app:s3cret@db/shop");
  CHECK(job.targets[0].table == "public.orders");
  CHECK(job.targets[0].protocol == Protocol::staged);
  CHECK(job.targets[0].writers == 64);
  CHECK(job.targets[0].create);
  CHECK(job.targets[0].primary_key == std::vector<std::string>{"id", "Odd Name"});
  CHECK(job.targets[0].columns == std::vector<Column>{column("id", TypeKind::int64, false),
                                                      {"note", ColumnType{TypeKind::text, 0, 0, 10}, false},
                                                      column("null", TypeKind::date, true),
                                                      {"Odd Name", ColumnType{TypeKind::decimal, 12, 2, 0}, false}});
  CHECK(job.targets[0].line == 6);
  CHECK(job.targets[1].protocol == Protocol::prepared);
  CHECK(job.targets[1].columns ==
        std::vector<Column>{column("b", TypeKind::boolean, false), column("a", TypeKind::uuid, true)});

  CHECK(job.log_path.string() == (std::filesystem::current_path() / "sub/../log.db").string());
  CHECK(job.spool.string() == (std::filesystem::current_path() / "spool").string());
  CHECK(job.retry.initial == 1ms);
  CHECK(job.retry.max == 2s);
  CHECK(job.retry.limit == 3min);
  CHECK(job.retry.silence == 4s);
  CHECK(job.branch_rows == 5);
  CHECK(job.branch_bytes == 6U << 20);
  CHECK(job.recovery.sweep == 1h);
  CHECK(job.recovery.retention == 8);
}

TEST_CASE("a generator takes its seed, rows and rate, and may be endless with a checkpoint") {
  const std::string rest =
      "targets: [{url: 'sqlite:x.db', table: t}]\n"
      "log: sqlite:///tmp/log.db\n";
  const JobConfig job = load_text(
      "job: g\nsource: {type: generator, seed: 18446744073709551615, rows: 9, rows_per_second: 0.5}\n" + rest);
  const auto& generator = std::get<GeneratorConfig>(job.source);
  CHECK(generator.seed == 18446744073709551615ULL);
  CHECK(generator.rows == 9);
  CHECK(generator.rows_per_second == 0.5);
  CHECK(job.log_path == "/tmp/log.db");

  const JobConfig endless = load_text("job: g\ncheckpoint: {bytes: 1MiB}\nsource: {type: generator}\n" + rest);
  CHECK(std::get<GeneratorConfig>(endless.source).seed == 1);
  CHECK_FALSE(std::get<GeneratorConfig>(endless.source).rows);
  CHECK_FALSE(std::get<GeneratorConfig>(endless.source).rows_per_second);
}

TEST_CASE("a byte order mark, Windows line ends and anchors are taken") {
  const JobConfig job = load_text(
      "\xef\xbb\xbfjob: 'b'\r\n"
      "source: {type: csv, path: x.csv, header: \"true\"}\r\n"
      "targets:\r\n"
      "  - {url: 'sqlite:x.db', table: a, columns: &c {id: bigint}}\r\n"
      "  - {url: 'sqlite:x.db', table: b, columns: *c}\r\n"
      "log: \"sqlite:/tmp/log.db\"\r\n");
  CHECK(job.job == "b");
  CHECK(job.targets[1].columns == job.targets[0].columns);
  CHECK(job.log_path == "/tmp/log.db");
}

TEST_CASE("a source file that isn't there yet is left to the run, so that recovery works without it") {
  CHECK_NOTHROW(
      load_text("job: b\nsource: {type: jsonl, path: /nowhere/at/all.jsonl}\ntargets: [{url: 'sqlite:x', table: t}]\n"
                "log: sqlite:x.db\n"));
}

TEST_CASE("the samples load") {
  const EnvironmentVariable password("SHOP_PASSWORD", "p");
  const EnvironmentVariable events("EVENTS_URL", "postgresql://app@db/events");

  const JobConfig sqlite = load_job(folder / "samples/orders-to-sqlite.yaml");
  CHECK(sqlite.job == "orders");
  CHECK_FALSE(sqlite.checkpoint.interval);
  CHECK(sqlite.targets.at(0).columns.size() == 7);

  const JobConfig postgresql = load_job(folder / "samples/orders-to-postgresql.yaml");
  CHECK(postgresql.targets.at(0).url == "postgresql://app:p@db/shop");
  CHECK(postgresql.targets.at(0).writers == 2);
  CHECK(postgresql.targets.at(0).columns == sqlite.targets.at(0).columns);

  const JobConfig follow = load_job(folder / "samples/jsonl-follow.yaml");
  CHECK(std::get<FileSourceConfig>(follow.source).follow);
  CHECK(follow.targets.at(0).url == "postgresql://app@db/events");
  CHECK(follow.targets.at(0).protocol == Protocol::staged);

  const JobConfig generator = load_job(folder / "samples/generator.yaml");
  CHECK(std::get<GeneratorConfig>(generator.source).rows == 100'000);
  CHECK(generator.checkpoint.bytes == 16U << 20);

  std::size_t samples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "samples")) {
    CAPTURE(entry.path().string());
    CHECK_NOTHROW(load_job(entry.path()));
    ++samples;
  }
  CHECK(samples >= 4);
}

TEST_CASE("the job names that load are those that transactions can be named after") {
  std::vector<std::string> names{"", "a", "orders_2-x", "_", "-", std::string(24, 'a'), std::string(25, 'a')};
  for (int c = '!'; c <= '~'; ++c) names.push_back(std::string("a") + static_cast<char>(c));
  for (const std::string& name : names) {
    CAPTURE(name);
    std::string escaped;
    for (const char c : name) escaped += c == '\'' ? std::string("''") : std::string(1, c);
    const std::string text = "job: '" + escaped +
                             "'\nsource: {type: jsonl, path: x}\ntargets: [{url: 'sqlite:x', table: t}]\n"
                             "log: sqlite:x.db\n";
    if (valid_job_name(name)) {
      CHECK(load_text(text).job == name);
    } else {
      CHECK_THROWS_WITH(load_text(text), test::contains("job.yaml:1: `job` is `" + name + "`"));
    }
  }
}
