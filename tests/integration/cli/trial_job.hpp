// The program, and jobs for it to run.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace xasink::test {

struct Ended {
  int code = -1;
  std::string out;
  std::string err;

  /// \throws if standard output is not one JSON value
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// Runs `xasink <arguments>` to its end. `fault` becomes XASINK_FAULT.
[[nodiscard]] Ended run_xasink(const std::vector<std::string>& arguments, const std::string& fault = {});
/// Starts it.
[[nodiscard]] std::unique_ptr<Process> start_xasink(const std::vector<std::string>& arguments);

/// A job that loads generated rows, numbered from 0, into a SQLite table `trial` with that number as its primary key.
/// All its files lie in a folder of its own.
class TrialJob {
 public:
  /// \param source the keys of the generator, as in `rows: 100`
  /// \param more further lines of the job file
  explicit TrialJob(const std::string& source, const std::string& more = {});

  [[nodiscard]] std::string file() const { return (folder_.path() / "trial.yaml").string(); }
  [[nodiscard]] std::filesystem::path log() const { return folder_.path() / "log.db"; }
  [[nodiscard]] std::filesystem::path database() const { return folder_.path() / "trial.db"; }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
  /// Writes the job file anew.
  void write(const std::string& source, const std::string& more = {}) const;

  /// Rows in the table, 0 if there is no table. Fails the test if they are not numbered 0, 1, … without a gap.
  [[nodiscard]] std::uint64_t rows() const;

 private:
  TempDir folder_;
};

/// Looks until it is true. \returns false if it isn't within half a minute
[[nodiscard]] bool eventually(const std::function<bool()>& condition);

}  // namespace xasink::test
