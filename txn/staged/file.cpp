#include "txn/staged/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

namespace xasink::txn::staged {
namespace {

struct stat status_of(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw io_error("look at", path, errno);
  return status;
}

}  // namespace

Error io_error(const std::string& doing, const std::filesystem::path& path, int error_number) {
  const std::string message =
      "can't " + doing + " " + path.string() + ": " + std::generic_category().message(error_number);
  switch (error_number) {
    case ENOSPC:
    case EDQUOT: return {Category::io, message, "free space on the disk of the spool folder, then run again"};
    case EACCES:
    case EPERM:
    case EROFS: return {Category::configuration, message, "give this user write access to the spool folder"};
    case ENOENT: return {Category::configuration, message, "make the folder, or correct the path of the spool"};
    default: return {Category::io, message, "check the disk of the spool folder"};
  }
}

File File::create(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (descriptor < 0) throw io_error("make", path, errno);
  return {path, descriptor};
}

std::optional<File> File::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor >= 0) return File{path, descriptor};
  if (errno == ENOENT) return std::nullopt;
  throw io_error("open", path, errno);
}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool File::try_lock() const {
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw io_error("lock", path_, errno);
  }
  return true;
}

bool File::linked() const { return status_of(descriptor_, path_).st_nlink > 0; }

std::uint64_t File::size() const { return static_cast<std::uint64_t>(status_of(descriptor_, path_).st_size); }

std::chrono::system_clock::time_point File::modified() const {
  const struct timespec time = status_of(descriptor_, path_).st_mtim;
  return std::chrono::system_clock::time_point(std::chrono::duration_cast<std::chrono::system_clock::duration>(
      std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec)));
}

void File::write(std::span<iovec> parts) {
  while (!parts.empty()) {
    if (parts.front().iov_len == 0) {
      parts = parts.subspan(1);
      continue;
    }
    const ssize_t written =
        ::writev(descriptor_, parts.data(), static_cast<int>(std::min<std::size_t>(parts.size(), IOV_MAX)));
    if (written < 0) {
      if (errno == EINTR) continue;
      throw io_error("write", path_, errno);
    }
    auto left = static_cast<std::size_t>(written);
    while (left > 0 && left >= parts.front().iov_len) {
      left -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (left > 0) {
      parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + left;
      parts.front().iov_len -= left;
    }
  }
}

void File::start_writeback() const noexcept { ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE); }

std::size_t File::read(char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(descriptor_, to + done, size - done);
    if (got == 0) break;
    if (got < 0) {
      if (errno == EINTR) continue;
      throw io_error("read", path_, errno);
    }
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void File::sync() const {
  if (::fsync(descriptor_) != 0) throw io_error("sync", path_, errno);
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw io_error("open", folder, errno);
  const int result = ::fsync(descriptor);
  const int error_number = errno;
  ::close(descriptor);
  if (result != 0) throw io_error("sync", folder, error_number);
}

}  // namespace xasink::txn::staged
