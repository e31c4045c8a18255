// Cuts a file into lines inside one buffer, and knows the exact offset behind each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "src/sources/input_file.hpp"

namespace xasink::sources {

enum class LineEnds : std::uint8_t {
  lf,        ///< only a line feed ends a line
  lf_or_cr,  ///< a carriage return that no line feed follows ends one too
};

/// A line with its end, or a part of a line that is longer than the buffer. Valid until the next call of the reader.
struct Piece {
  std::string_view text;
  bool ends_line = false;
};

/// One thread. Allocates its buffer once. Leaves out a UTF-8 byte order mark at the start of a file.
class LineReader {
 public:
  /// At least this many readable bytes follow the text of a piece (simdjson reads ahead).
  static constexpr std::size_t padding = 64;
  static constexpr std::size_t min_buffer_bytes = 16;

  LineReader(std::size_t buffer_bytes, LineEnds line_ends);

  /// Goes to the start of a file. \throws as InputFile's constructor
  void open(const std::string& path);
  void close() noexcept;
  [[nodiscard]] bool is_open() const noexcept { return file_.has_value(); }
  /// \pre is_open()
  [[nodiscard]] const InputFile& file() const noexcept { return *file_; }

  /// The next piece, or nothing at the (present) end of the file. With `growing` a last line that has no end yet is
  /// kept back. \throws Error (io)
  [[nodiscard]] std::optional<Piece> next(bool growing);
  /// True if bytes of a line without end were kept back by the last next().
  [[nodiscard]] bool kept_back() const noexcept { return begin_ != end_; }

  /// Offset of the byte behind the last piece, after decompression.
  [[nodiscard]] std::uint64_t offset() const noexcept { return file_->offset() - (end_ - begin_); }
  /// Makes the byte at `offset` the next one. \throws Error (io) if the file ends before it
  void seek(std::uint64_t offset);
  /// True if `offset` lies inside a line: something follows it, and no line end is before it. Leaves the reader
  /// anywhere.
  [[nodiscard]] bool continues_line(std::uint64_t offset);

 private:
  [[nodiscard]] std::optional<std::size_t> line_length() const noexcept;
  [[nodiscard]] bool fill();
  [[nodiscard]] Piece take(std::size_t length);

  const std::size_t capacity_;
  const LineEnds line_ends_;
  std::unique_ptr<char[]> buffer_;  // capacity_ + padding
  std::size_t begin_ = 0;           // unread bytes are [begin_, end_)
  std::size_t end_ = 0;
  std::optional<InputFile> file_;
};

}  // namespace xasink::sources
