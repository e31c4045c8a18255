// A program run by a test: started, watched, killed, and what it wrote.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace xasink::test {

/// Not thread-safe. The child dies with the thread that started it; the destructor kills it and waits.
class Process {
 public:
  struct Options {
    std::map<std::string, std::string> environment;  ///< added to the test's own
    std::string directory;                           ///< working folder; empty: the test's own
    std::string user;                                ///< run as this user; empty: the test's own. Needs root
    int death_signal = 9;                            ///< what the child gets when the test dies
  };

  /// \param argv the program (looked up in PATH) and its arguments. \throws std::system_error if it can't be started
  explicit Process(const std::vector<std::string>& argv);
  Process(const std::vector<std::string>& argv, const Options& options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] bool running();
  /// Sends a signal; nothing if it has ended already.
  void signal(int number);
  /// Waits for the end. \returns the exit code, or 128 + the signal that ended it; empty if it still runs after the
  /// timeout
  std::optional<int> wait(std::chrono::milliseconds timeout);
  /// Waits until the program has stopped itself (SIGSTOP). \returns false if it ended or the timeout passed
  bool wait_stopped(std::chrono::milliseconds timeout);

  /// What it wrote so far.
  [[nodiscard]] std::string out() const;
  [[nodiscard]] std::string err() const;

 private:
  bool poll(int flags);

  pid_t pid_ = -1;
  int out_ = -1;  // anonymous files: a child that writes much never waits for a reader
  int err_ = -1;
  std::optional<int> code_;
  bool stopped_ = false;
};

/// Runs to the end. \throws std::runtime_error with its standard error if it takes longer or the exit code is not 0
std::string run(const std::vector<std::string>& argv, const Process::Options& options = {},
                std::chrono::milliseconds timeout = std::chrono::minutes(2));

}  // namespace xasink::test
