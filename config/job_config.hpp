// A job file as typed values, checked and complete: defaults filled in, environment variables replaced.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "xasink/committable.hpp"
#include "xasink/retry.hpp"
#include "xasink/schema.hpp"

namespace xasink::config {

struct CheckpointConfig {
  std::optional<std::chrono::milliseconds> interval;  ///< absent: no timed checkpoints; bounded sources only
  std::uint64_t rows = 0;                             ///< 0: no bound
  std::uint64_t bytes = 0;                            ///< 0: no bound
  unsigned max_in_flight = 2;
};

enum class FileFormat : std::uint8_t { csv, jsonl };

struct FileSourceConfig {
  FileFormat format = FileFormat::csv;
  std::vector<std::string> paths;    ///< paths or glob patterns, relative ones as seen from the working folder
  bool header = false;               ///< csv: the first record names the fields
  std::vector<std::string> columns;  ///< csv without header: the fields' names in order
  char delimiter = ',';
  char quote = '"';
  std::optional<std::string> null_text;  ///< csv: an unquoted field of this text is NULL; absent: an empty one is
  bool follow = false;                   ///< wait for more at the end of the last file
};

struct GeneratorConfig {
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> rows;      ///< absent: unbounded
  std::optional<double> rows_per_second;  ///< absent: as fast as it goes
};

using SourceConfig = std::variant<FileSourceConfig, GeneratorConfig>;

struct TargetConfig {
  std::string url;  ///< may hold a password: never print it
  std::string table;
  unsigned writers = 1;
  std::optional<Protocol> protocol;
  bool create = false;                   ///< make the table from `columns` if it is missing
  std::vector<Column> columns;           ///< names and types; for create, else empty or a subset to write
  std::vector<std::string> primary_key;  ///< for create
  int line = 0;                          ///< of the target in the job file, for messages
};

struct RecoveryConfig {
  std::chrono::milliseconds sweep{30'000};  ///< how often a running job looks for late orphans
  std::uint64_t retention = 10'000;         ///< committed checkpoints kept in log and marker table
};

struct JobConfig {
  std::filesystem::path file;
  std::string job;
  CheckpointConfig checkpoint;
  SourceConfig source;
  std::vector<TargetConfig> targets;
  std::string log;                 ///< as written, `sqlite:///…`, variables replaced
  std::filesystem::path log_path;  ///< absolute; of the SQLite file
  std::filesystem::path spool;     ///< absolute; folder for staged branches; default `<log file>.spool`
  RetryPolicy retry{std::chrono::milliseconds{100}, std::chrono::milliseconds{5'000},
                    std::chrono::milliseconds{60'000}, std::chrono::milliseconds{60'000}};
  std::uint64_t branch_rows = 1'000'000;
  std::uint64_t branch_bytes = 256ULL << 20;
  RecoveryConfig recovery;
};

/// Reads and checks a job file; touches nothing else. Takes variables from the environment, which no other thread may
/// change meanwhile. \throws Error (configuration) "job.yaml:7: …" with line and key, and a hint what would be right
[[nodiscard]] JobConfig load_job(const std::filesystem::path& file);

}  // namespace xasink::config
