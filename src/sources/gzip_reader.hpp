// Decompresses a gzip file as a stream, members put one behind the other included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

struct z_stream_s;

namespace xasink::sources {

/// One thread. Starts at the beginning of the file.
class GzipReader {
 public:
  /// Keeps the descriptor, which must outlive it, but doesn't own it.
  GzipReader(int fd, std::string path);
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  ~GzipReader();

  /// Up to `size` bytes, 0 at the end. \throws Error (io) if the data is damaged or ends inside a member; then unusable
  [[nodiscard]] std::size_t read(char* into, std::size_t size);
  /// Raw bytes decompressed so far.
  [[nodiscard]] std::uint64_t raw_offset() const noexcept;

 private:
  [[nodiscard]] bool fill();
  [[noreturn]] void fail(const std::string& what) const;

  int fd_;
  std::string path_;
  std::unique_ptr<unsigned char[]> input_;
  std::unique_ptr<z_stream_s> stream_;
  std::uint64_t fetched_ = 0;     // raw bytes read from the file
  bool between_members_ = false;  // the last member is complete
};

}  // namespace xasink::sources
