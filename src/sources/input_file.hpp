// A regular file, plain or gzip, read from any offset of its content.
//
// "Offset" counts bytes of the content (after decompression), "raw" counts bytes of the file itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "src/sources/gzip_reader.hpp"
#include "src/sources/unique_fd.hpp"

namespace xasink::sources {

/// Tells whether the first `bytes` raw bytes of a file are still the same: hashes of up to 64 KiB at both ends of them.
/// A change of the same length in between, in a file larger than 128 KiB, is not seen.
struct Fingerprint {
  std::uint64_t bytes = 0;
  std::uint64_t head = 0;
  std::uint64_t tail = 0;

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// One thread. Holds the file open: a file of the same name put in its place later is not read by mistake.
class InputFile {
 public:
  /// \throws Error (io) if it can't be opened or is no regular file, (configuration) for a compression other than gzip
  /// or UTF-16
  explicit InputFile(std::string path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool compressed() const noexcept { return gzip_ != nullptr; }

  /// Up to `size` bytes of content, 0 at the present end. \throws Error (io) if it can't be read, is shorter than what
  /// was read of it already, or is no sound gzip data
  [[nodiscard]] std::size_t read(char* into, std::size_t size);
  /// The offset of the next read.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// Decompresses from the start if it has to. \throws Error (io) if the file ends before `offset`
  void seek(std::uint64_t offset);

  /// Raw bytes read so far.
  [[nodiscard]] std::uint64_t raw_offset() const noexcept;
  /// Raw size now.
  [[nodiscard]] std::uint64_t raw_size() const;
  /// Of the first `bytes` raw bytes. \throws Error (io) if the file is shorter
  [[nodiscard]] Fingerprint fingerprint(std::uint64_t bytes) const;
  /// \throws Error (io) if its path now names no file or another one, or if it is shorter than what was read of it
  void check_in_place() const;

 private:
  [[noreturn]] void fail_shrunk(std::uint64_t size, std::uint64_t needed) const;

  std::string path_;
  UniqueFd fd_;
  std::unique_ptr<GzipReader> gzip_;  // set if compressed
  std::uint64_t offset_ = 0;
};

/// pread that goes on after signals and short reads: less than `size` bytes only at the end. \throws Error (io) naming
/// `path`
[[nodiscard]] std::size_t read_at(int fd, const std::string& path, char* into, std::size_t size,
                                  std::uint64_t raw_offset);

}  // namespace xasink::sources
