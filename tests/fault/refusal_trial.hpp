// A job of a test's own wording, run by the real program, and what a refusal must look like.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/fault/load_trial.hpp"

namespace xasink::test {

/// The job file, piece by piece. As it stands it loads in.csv, rows 1 to 20, into SQLite in four checkpoints.
struct JobText {
  std::string job = "trial";
  std::string checkpoint = "checkpoint: {rows: 5}\n";
  std::string source = "{type: csv, path: in.csv, header: true}";
  std::string url = "sqlite:target.db";
  std::string table = "t";
  std::string target =
      "    create: true\n"
      "    columns: {id: bigint not null, name: text(20)}\n";
  std::string log = "sqlite:log.db";
  std::string more = "retry: {initial: 20ms, max: 100ms, limit: 1s}\n";
};

/// A folder with a job file `job.yaml`, the rows `in.csv`, and whatever the program makes there.
class RefusalTrial {
 public:
  explicit RefusalTrial(const JobText& text = {});

  void write_job(const JobText& text) const;
  void write(const std::string& name, const std::string& content) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  /// `id,name` and a line for each number from `first` to `last`.
  [[nodiscard]] static std::string csv(int first, int last);

  /// `xasink <command> job.yaml <more>` to its end.
  [[nodiscard]] RunEnd xasink(const std::string& command, const std::vector<std::string>& more = {},
                              const std::string& fault = {}) const;
  /// `xasink <arguments>` to its end, with variables added to the environment.
  [[nodiscard]] RunEnd command_line(const std::vector<std::string>& arguments,
                                    const std::map<std::string, std::string>& environment = {}) const;
  [[nodiscard]] std::unique_ptr<Process> start(const std::string& command, const std::string& fault = {}) const;
  /// A shell script in the folder, with the program as $XASINK.
  [[nodiscard]] RunEnd shell(const std::string& script) const;
  /// Runs the job until it is killed at the point, which must come.
  void kill_at(const std::string& point, int passage) const;

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }
  [[nodiscard]] std::vector<std::string> spool() const;  ///< names of all files in the spool folder, sorted
  /// The ids in table t of target.db, as `1 2 3`; empty without a table.
  [[nodiscard]] std::string ids() const;
  /// Runs SQL in target.db, which is made if need be.
  void target(const std::string& sql) const;
  /// One value out of the log, read beside whoever uses it.
  [[nodiscard]] std::string from_log(const std::string& sql) const;

 private:
  TempDir folder_;
};

/// `1 2 3 … last`, as RefusalTrial::ids tells them.
[[nodiscard]] std::string numbers_to(int last);

/// The program ended with the code, and its last words are one sentence and a hint, which hold the parts between them.
void require_refusal(const RunEnd& end, int code, const std::vector<std::string>& parts);
/// The same for `--json`: one JSON value on standard output with the code in it.
void require_json_refusal(const RunEnd& end, int code, const std::string& category, const std::vector<std::string>& parts);

/// Whether this process may make mount namespaces of its own; says so if not.
[[nodiscard]] bool may_mount();

}  // namespace xasink::test
