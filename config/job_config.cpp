#include "config/job_config.hpp"

#include <algorithm>
#include <array>

#include "config/byte_size.hpp"
#include "config/sections.hpp"

namespace xasink::config {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

constexpr std::array<std::string_view, 9> keys{"job",   "checkpoint", "source", "targets", "log",
                                               "spool", "retry",      "branch", "recovery"};
constexpr std::array<std::string_view, 4> checkpoint_keys{"interval", "rows", "bytes", "max_in_flight"};
constexpr std::array<std::string_view, 4> retry_keys{"initial", "max", "limit", "silence"};
constexpr std::array<std::string_view, 2> branch_keys{"rows", "bytes"};
constexpr std::array<std::string_view, 2> recovery_keys{"sweep", "retention"};

constexpr std::uint64_t most_rows = 1'000'000'000'000;
constexpr std::uint64_t most_bytes = 1024ULL << 30;
constexpr milliseconds day = 24h;

/// The same words as xasink::valid_job_name, which is part of txn/ and not in reach here.
bool is_job_name(std::string_view name) {
  constexpr std::size_t longest = 24;
  return !name.empty() && name.size() <= longest &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

std::string read_job_name(const Value& value) {
  std::string name = value.text();
  if (!is_job_name(name)) {
    value.refuse("is `" + value.shown() + "`, which can't be part of a transaction's name",
                 "write 1 to 24 of the characters a to z, 0 to 9, `_` and `-`");
  }
  return name;
}

CheckpointConfig read_checkpoint(const Value& value) {
  constexpr milliseconds least_interval = 10ms;
  constexpr std::uint64_t most_in_flight = 16;
  const Section section(value, checkpoint_keys);
  CheckpointConfig checkpoint;
  if (const auto interval = section.find("interval")) checkpoint.interval = interval->duration(least_interval, day);
  if (const auto rows = section.find("rows")) checkpoint.rows = rows->whole(1, most_rows);
  if (const auto bytes = section.find("bytes")) checkpoint.bytes = bytes->byte_size(1, most_bytes);
  if (const auto max = section.find("max_in_flight")) {
    checkpoint.max_in_flight = static_cast<unsigned>(max->whole(1, most_in_flight));
  }
  return checkpoint;
}

void read_retry(const Value& value, RetryPolicy& retry) {
  const Section section(value, retry_keys);
  if (const auto initial = section.find("initial")) retry.initial = initial->duration(1ms, 1h);
  if (const auto max = section.find("max")) retry.max = max->duration(1ms, 1h);
  if (const auto limit = section.find("limit")) retry.limit = limit->duration(1ms, day);
  if (const auto silence = section.find("silence")) retry.silence = silence->duration(100ms, day);
  if (retry.max < retry.initial) value.refuse("has a `max` below `initial`", "make `max` the longest of the waits");
  if (retry.limit < retry.initial)
    value.refuse("has a `limit` below `initial`", "give one wait time to pass, at least");
}

void read_branch(const Value& value, JobConfig& config) {
  const Section section(value, branch_keys);
  if (const auto rows = section.find("rows")) config.branch_rows = rows->whole(1, most_rows);
  if (const auto bytes = section.find("bytes")) config.branch_bytes = bytes->byte_size(1, most_bytes);
}

RecoveryConfig read_recovery(const Value& value) {
  constexpr milliseconds least_sweep = 10ms;
  constexpr std::uint64_t most_retained = 1'000'000'000;
  const Section section(value, recovery_keys);
  RecoveryConfig recovery;
  if (const auto sweep = section.find("sweep")) recovery.sweep = sweep->duration(least_sweep, day);
  if (const auto retention = section.find("retention")) recovery.retention = retention->whole(1, most_retained);
  return recovery;
}

/// A source that never ends commits at checkpoints or not at all.
void check_commits(const JobConfig& config, const Value& source) {
  const CheckpointConfig& checkpoint = config.checkpoint;
  if (unbounded(config.source) && !checkpoint.interval && checkpoint.rows == 0 && checkpoint.bytes == 0) {
    source.refuse("never ends, and no checkpoint would ever commit its rows",
                  "add `checkpoint: {interval: 1s}`, or `rows` or `bytes` there, or let the source end");
  }
}

}  // namespace

JobConfig load_job(const std::filesystem::path& file) {
  const Document document = load_document(file);
  const Environment environment = process_environment;
  const Origin origin{document, environment};
  const Section section(Value(origin, document.root, line_of(document.root), ""), keys);

  JobConfig config;
  config.file = file;
  config.job = read_job_name(section.require("job", "write `job: <name>`; the name ties the job to its transactions"));
  if (const auto checkpoint = section.find("checkpoint")) config.checkpoint = read_checkpoint(*checkpoint);
  const Value source = section.require("source", "write `source: {type: csv, path: …}`");
  config.source = read_source(source);
  check_commits(config, source);
  config.targets = read_targets(section.require("targets", "write `targets:` and one item per table behind `- `"));
  LogConfig log =
      read_log(section.require("log", "write `log: sqlite:///path/of/a/file.db`; it keeps what was committed"));
  config.log = std::move(log.url);
  config.log_path = std::move(log.path);
  if (const auto spool = section.find("spool")) {
    config.spool = absolute_path(spool->name());
    if (config.spool == config.log_path) spool->refuse("is the file of the log", "name a folder beside it");
  } else {
    config.spool = config.log_path;
    config.spool += ".spool";
  }
  if (const auto retry = section.find("retry")) read_retry(*retry, config.retry);
  if (const auto branch = section.find("branch")) read_branch(*branch, config);
  if (const auto recovery = section.find("recovery")) config.recovery = read_recovery(*recovery);
  return config;
}

}  // namespace xasink::config
