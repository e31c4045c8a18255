// A file descriptor that is closed when it goes, with errors that name the path. Linux and POSIX.
#pragma once

#include <sys/uio.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "xasink/error.hpp"

namespace xasink::txn::staged {

/// What errno says, as an Error (io) naming the path; never retryable. For a full disk the hint says so.
[[nodiscard]] Error io_error(const std::string& doing, const std::filesystem::path& path, int error_number);

/// One thread at a time.
class File {
 public:
  /// Makes the file, for this user alone. \throws Error (io), also if it exists
  [[nodiscard]] static File create(const std::filesystem::path& path);
  /// For reading. \returns empty if there is no such file \throws Error (io)
  [[nodiscard]] static std::optional<File> open(const std::filesystem::path& path);

  File(File&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&&) = delete;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  /// Takes the lock that says the file is being worked on; it ends with this object or the process. \returns false if
  /// somebody else has it, in this process or another
  [[nodiscard]] bool try_lock() const;
  /// False once the file was removed from its folder under any name.
  [[nodiscard]] bool linked() const;
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] std::chrono::system_clock::time_point modified() const;

  /// Writes everything at the end. May change `parts`.
  void write(std::span<iovec> parts);
  /// Lets the system begin to write back what was written, so that sync() has less to wait for. Promises nothing.
  void start_writeback() const noexcept;
  /// Reads on until `size` bytes or the end. \returns how many
  [[nodiscard]] std::size_t read(char* to, std::size_t size);
  /// On disk when it returns. After an error nothing is known of the file's content on disk, now or later.
  void sync() const;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  File(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_;
};

/// Makes the folder's list of names durable.
void sync_folder(const std::filesystem::path& folder);

}  // namespace xasink::txn::staged
