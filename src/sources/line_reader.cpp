#include "src/sources/line_reader.hpp"

#include <algorithm>
#include <cstring>

namespace xasink::sources {

LineReader::LineReader(std::size_t buffer_bytes, LineEnds line_ends)
    : capacity_(std::max(buffer_bytes, min_buffer_bytes)),
      line_ends_(line_ends),
      buffer_(std::make_unique<char[]>(capacity_ + padding)) {}

void LineReader::open(const std::string& path) {
  close();
  file_.emplace(path);
}

void LineReader::close() noexcept {
  file_.reset();
  begin_ = end_ = 0;
}

void LineReader::seek(std::uint64_t offset) {
  file_->seek(offset);
  begin_ = end_ = 0;
}

bool LineReader::continues_line(std::uint64_t offset) {
  if (offset == 0) return false;
  seek(offset - 1);
  while (end_ < 2 && fill()) {
  }
  if (end_ < 2) return false;
  return buffer_[0] != '\n' && !(buffer_[0] == '\r' && line_ends_ == LineEnds::lf_or_cr);
}

std::optional<Piece> LineReader::next(bool growing) {
  for (;;) {
    if (const auto length = line_length()) return take(*length);
    if (end_ - begin_ == capacity_) {
      // A carriage return at the end may belong to a line feed that is not here yet.
      const bool hold = line_ends_ == LineEnds::lf_or_cr && buffer_[end_ - 1] == '\r';
      return take(capacity_ - (hold ? 1 : 0));
    }
    if (fill()) continue;
    if (begin_ == end_ || growing) return std::nullopt;
    return take(end_ - begin_);
  }
}

/// Length of the first whole line in the buffer, its end included.
std::optional<std::size_t> LineReader::line_length() const noexcept {
  const char* const first = buffer_.get() + begin_;
  const std::size_t available = end_ - begin_;
  if (available == 0) return std::nullopt;
  const auto* feed = static_cast<const char*>(std::memchr(first, '\n', available));
  if (line_ends_ == LineEnds::lf_or_cr) {
    const std::size_t before = feed != nullptr ? static_cast<std::size_t>(feed - first) : available;
    const auto* carriage = static_cast<const char*>(std::memchr(first, '\r', before));
    // Right before the line feed it is part of the line's end; as the last byte, it is not yet known what follows.
    if (carriage != nullptr && carriage + 1 != first + before) return static_cast<std::size_t>(carriage - first) + 1;
  }
  if (feed == nullptr) return std::nullopt;
  return static_cast<std::size_t>(feed - first) + 1;
}

/// Reads more behind the unread bytes. \returns false at the end of the file
bool LineReader::fill() {
  if (begin_ != 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t got = file_->read(buffer_.get() + end_, capacity_ - end_);
  end_ += got;
  return got != 0;
}

Piece LineReader::take(std::size_t length) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  const bool at_start = offset() == 0;
  Piece piece;
  piece.text = {buffer_.get() + begin_, length};
  begin_ += length;
  const char last = piece.text.back();
  piece.ends_line = last == '\n' || (last == '\r' && line_ends_ == LineEnds::lf_or_cr);
  // No shorter piece than the mark can be one of its parts: it has no line end in it, and the buffer is longer.
  if (at_start && piece.text.starts_with(byte_order_mark)) piece.text.remove_prefix(byte_order_mark.size());
  return piece;
}

}  // namespace xasink::sources
