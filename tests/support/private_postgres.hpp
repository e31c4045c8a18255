// A PostgreSQL server of a test's own: private folder, private port, gone afterwards.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/process.hpp"

namespace xasink::test {

/// Uses the newest server installed, or the one in the folder XASINK_PG_BIN names. Runs as an unprivileged user when
/// the test is root. The server dies with the thread that started it. Not thread-safe; the SQL helpers are.
class PrivatePostgres {
 public:
  struct Options {
    std::vector<std::string> settings;  ///< `name=value`, after and above the defaults
    std::vector<std::string> access;    ///< lines of pg_hba.conf before the default, which trusts everyone on 127.0.0.1
    bool fsync = false;                 ///< true where a test cuts the power
  };
  using Rows = std::vector<std::vector<std::string>>;  ///< NULL reads as `\N`

  /// False where no server is installed: tests that need one are then skipped by their label, not passed.
  [[nodiscard]] static bool installed();

  /// Makes a cluster and starts it. max_prepared_transactions is 64 and max_connections 60 unless the settings say
  /// otherwise.
  PrivatePostgres();
  explicit PrivatePostgres(Options options);
  ~PrivatePostgres();
  PrivatePostgres(const PrivatePostgres&) = delete;
  PrivatePostgres& operator=(const PrivatePostgres&) = delete;

  /// `postgresql://user@127.0.0.1:port/database`; the default is the superuser.
  [[nodiscard]] std::string url(const std::string& user = "postgres", const std::string& database = "postgres") const;
  [[nodiscard]] int port() const noexcept { return port_; }
  /// Holds the socket and the server's log.
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  [[nodiscard]] std::string log() const;

  /// On the same port with the same data. `settings` are added to those of the options from now on.
  void start(const std::vector<std::string>& settings = {});
  /// Disconnects everyone and shuts down in order (SIGINT).
  void stop();
  /// Every server process quits at once, without a checkpoint (SIGQUIT).
  void kill_immediate();
  /// SIGKILL to the postmaster and its children: a crash.
  void kill_9();

  /// One or more statements on a fresh connection; the rows of the last. \throws std::runtime_error with the server's
  /// words
  Rows query(const std::string& sql, const std::string& database = "postgres") const;
  /// The first field of the first row.
  [[nodiscard]] std::string value(const std::string& sql, const std::string& database = "postgres") const;

 private:
  void wait_until_ready();
  void wait_until_gone();

  Options options_;
  std::filesystem::path folder_;
  int port_ = 0;
  std::unique_ptr<Process> server_;
};

}  // namespace xasink::test
