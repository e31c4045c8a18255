// A job that loads numbered rows into a target of a test's choice, and what must hold afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/private_postgres.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace xasink::test {

enum class Kind : std::uint8_t { postgresql_prepared, postgresql_staged, sqlite };
[[nodiscard]] std::string to_string(Kind kind);

struct LoadOptions {
  std::uint64_t rows = 3'000;
  unsigned writers = 2;
  std::string checkpoint = "{rows: 500}";
  std::string url;                              ///< of the target; empty: the server's
  std::string retry = "{initial: 20ms, max: 500ms, limit: 60s}";
  std::string source_more;                     ///< further keys of the generator, as in `, rows_per_second: 10`
  std::string more = "branch: {rows: 200}\n";  ///< further lines of the job file
};

struct RunEnd {
  int code = -1;  ///< exit code, or 128 + signal
  std::string out;
  std::string err;
};

/// One job with a table, a log and a spool folder of its own. Rows are numbered from 0.
class LoadTrial {
 public:
  /// \param server for the PostgreSQL kinds; outlives the trial
  LoadTrial(Kind kind, PrivatePostgres* server, const LoadOptions& options = {});

  /// `xasink <command> job.yaml` to its end; `fault` becomes XASINK_FAULT.
  [[nodiscard]] RunEnd xasink(const std::string& command, const std::string& fault = {}) const;
  [[nodiscard]] std::unique_ptr<Process> start(const std::string& command, const std::string& fault = {}) const;

  /// Rewrites a part of the job file that occurs once.
  void change(const std::string& from, const std::string& to) const;

  /// How many rows the table has; fails the test unless they are exactly 0, 1, … (each once).
  [[nodiscard]] std::uint64_t rows_without_gap() const;
  /// Prepared transactions of this job at the server, and spool files of any state.
  [[nodiscard]] std::vector<std::string> left_behind() const;
  /// All rows once, nothing left behind, status says committed.
  void require_complete() const;

  [[nodiscard]] const std::string& job() const noexcept { return job_; }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
  [[nodiscard]] const LoadOptions& options() const noexcept { return options_; }

 private:
  [[nodiscard]] std::string url_of_target() const;
  [[nodiscard]] std::vector<std::string> query(const std::string& sql) const;

  Kind kind_;
  PrivatePostgres* server_;
  LoadOptions options_;
  std::string job_;
  TempDir folder_;
};

}  // namespace xasink::test
