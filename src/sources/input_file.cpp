#include "src/sources/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

#include "xasink/error.hpp"

namespace xasink::sources {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t hashed_bytes = 64 * 1024;

struct Magic {
  std::string_view bytes;
  std::string_view name;
  std::string_view hint;
};
constexpr std::string_view recompress = "decompress it, or compress it with gzip";
constexpr std::string_view recode = "convert it to UTF-8";
constexpr Magic refused[] = {
    {"\x28\xB5\x2F\xFD"sv, "is compressed with zstd", recompress},
    {"\xFD\x37\x7A\x58\x5A\x00"sv, "is compressed with xz", recompress},
    {"BZh91AY&SY"sv, "is compressed with bzip2", recompress},
    {"\x04\x22\x4D\x18"sv, "is compressed with lz4", recompress},
    {"PK\x03\x04"sv, "is a zip archive", recompress},
    {"\xFF\xFE"sv, "is in UTF-16 (little endian)", recode},
    {"\xFE\xFF"sv, "is in UTF-16 (big endian)", recode},
};
constexpr std::string_view gzip_magic = "\x1F\x8B"sv;

constexpr const char* kDisk = "check the disk and the permissions of the file, then run the job again";

std::string reason(int error) { return std::generic_category().message(error); }

struct stat status_of(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw Error(Category::io, path + " can't be examined: " + reason(errno), kDisk);
  return status;
}

}  // namespace

std::size_t read_at(int fd, const std::string& path, char* into, std::size_t size, std::uint64_t raw_offset) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(fd, into + got, size - got, static_cast<off_t>(raw_offset + got));
    if (n == 0) break;
    if (n < 0) {
      if (errno == EINTR) continue;
      throw Error(Category::io, path + " can't be read: " + reason(errno), kDisk);
    }
    got += static_cast<std::size_t>(n);
  }
  return got;
}

// O_NONBLOCK: opening a pipe must not wait for a writer; it has no effect on regular files.
InputFile::InputFile(std::string path)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (fd_.get() < 0) {
    throw Error(Category::io, path_ + " can't be opened: " + reason(errno), "check that it is there and may be read");
  }
  if (!S_ISREG(status_of(fd_.get(), path_).st_mode)) {
    throw Error(Category::io, path_ + " is no regular file: it can't be read again from a position",
                "write the data to a file first");
  }
  char start[16];
  const std::string_view first(start, read_at(fd_.get(), path_, start, sizeof start, 0));
  for (const Magic& magic : refused) {
    if (first.starts_with(magic.bytes)) {
      throw Error(Category::configuration, path_ + ' ' + std::string(magic.name), std::string(magic.hint));
    }
  }
  if (first.starts_with(gzip_magic)) gzip_ = std::make_unique<GzipReader>(fd_.get(), path_);
}

std::size_t InputFile::read(char* into, std::size_t size) {
  const std::size_t got = gzip_ ? gzip_->read(into, size) : read_at(fd_.get(), path_, into, size, offset_);
  offset_ += got;
  if (got == 0) {
    const std::uint64_t now = raw_size();
    if (now < raw_offset()) fail_shrunk(now, raw_offset());
  }
  return got;
}

void InputFile::seek(std::uint64_t offset) {
  if (!gzip_) {
    const std::uint64_t now = raw_size();
    if (now < offset) fail_shrunk(now, offset);
    offset_ = offset;
    return;
  }
  if (offset < offset_) {
    gzip_ = std::make_unique<GzipReader>(fd_.get(), path_);
    offset_ = 0;
  }
  std::vector<char> skipped(std::min<std::uint64_t>(hashed_bytes, offset - offset_));
  while (offset_ < offset) {
    const std::size_t got = read(skipped.data(), std::min<std::uint64_t>(skipped.size(), offset - offset_));
    if (got == 0) {
      throw Error(Category::io, path_ + " decompresses to " + std::to_string(offset_) + " bytes, but " +
                                    std::to_string(offset) + " were read of it before",
                  "restore the file as it was");
    }
  }
}

std::uint64_t InputFile::raw_offset() const noexcept { return gzip_ ? gzip_->raw_offset() : offset_; }

std::uint64_t InputFile::raw_size() const { return static_cast<std::uint64_t>(status_of(fd_.get(), path_).st_size); }

Fingerprint InputFile::fingerprint(std::uint64_t bytes) const {
  std::vector<char> part(std::min<std::uint64_t>(bytes, hashed_bytes));
  const auto hash = [&](std::uint64_t from) {
    const std::size_t got = read_at(fd_.get(), path_, part.data(), part.size(), from);
    if (got < part.size()) fail_shrunk(from + got, bytes);
    return XXH3_64bits(part.data(), part.size());
  };
  Fingerprint fingerprint;
  fingerprint.bytes = bytes;
  fingerprint.head = hash(0);
  fingerprint.tail = hash(bytes - part.size());
  return fingerprint;
}

void InputFile::check_in_place() const {
  const struct stat opened = status_of(fd_.get(), path_);
  struct stat named {};
  if (::stat(path_.c_str(), &named) != 0) {
    throw Error(Category::io, path_ + " is gone while it is followed: " + reason(errno),
                "put new rows into a new file whose name sorts behind it, and leave the old one");
  }
  if (named.st_ino != opened.st_ino || named.st_dev != opened.st_dev) {
    throw Error(Category::io, path_ + " was replaced by another file while it is followed",
                "put new rows into a new file whose name sorts behind it, and leave the old one");
  }
  const auto size = static_cast<std::uint64_t>(opened.st_size);
  if (size < raw_offset()) fail_shrunk(size, raw_offset());
}

void InputFile::fail_shrunk(std::uint64_t size, std::uint64_t needed) const {
  throw Error(Category::io,
              path_ + " was cut short: it has " + std::to_string(size) + " bytes, " + std::to_string(needed) +
                  " were read of it before",
              "restore the file as it was");
}

}  // namespace xasink::sources
