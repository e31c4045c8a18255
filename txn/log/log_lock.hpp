// Keeps a second process off the log.
#pragma once

#include <filesystem>

namespace xasink::txn {

/// An advisory lock on `<file>.lock`, held until destruction or the end of the process, however it ends. The lock file
/// stays: removing it would let two processes lock two files of one name.
class LogLock {
 public:
  /// \throws Error (preflight) naming the process that holds it
  explicit LogLock(const std::filesystem::path& log_file);
  LogLock(const LogLock&) = delete;
  LogLock& operator=(const LogLock&) = delete;
  ~LogLock();

 private:
  int descriptor_ = -1;
};

}  // namespace xasink::txn
