#include "txn/log/log_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "xasink/error.hpp"

namespace xasink::txn {
namespace {

std::string holder_of(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size() - 1, 0);
  std::string pid(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!pid.empty() && pid.back() == '\n') pid.pop_back();
  return pid.empty() ? "another process" : "process " + pid;
}

}  // namespace

LogLock::LogLock(const std::filesystem::path& log_file) {
  const std::string path = log_file.string() + ".lock";
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {
    throw Error(Category::configuration, "can't open the lock file " + path + ": " + std::strerror(errno),
                "the folder of the log must exist and be writable for this user");
  }
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    const std::string holder = holder_of(descriptor_);
    close(descriptor_);
    if (reason != EWOULDBLOCK) {
      throw Error(Category::io, "can't lock " + path + ": " + std::strerror(reason),
                  "put the log on a local file system that knows flock");
    }
    throw Error(Category::preflight, "the log " + log_file.string() + " is in use by " + holder,
                "a job runs once at a time: stop that process, or give this job a log of its own");
  }
  // For the message of the next one; the lock itself does not depend on it.
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, pid.data(), pid.size(), 0) < 0) {
    const std::string why = std::strerror(errno);
    close(descriptor_);
    throw Error(Category::io, "can't write the lock file " + path + ": " + why,
                "free space on the file system of the log, then run the job again");
  }
}

LogLock::~LogLock() { close(descriptor_); }

}  // namespace xasink::txn
