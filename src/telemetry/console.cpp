#include "src/telemetry/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace xasink::telemetry {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";

}  // namespace

Console::Console(int descriptor) : descriptor_(descriptor), is_terminal_(isatty(descriptor) == 1) {}

Console::~Console() {
  if (!progress_.empty()) write_all(kEraseLine);
}

void Console::show_progress(std::string line) {
  if (!is_terminal_) return;
  const std::lock_guard guard(mutex_);
  if (line == progress_) return;
  progress_ = std::move(line);
  write_all(std::string(kEraseLine) + fitted());
}

void Console::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t formatted;
  formatter_->format(message, formatted);
  std::string text;
  if (!progress_.empty()) text = kEraseLine;
  text.append(formatted.data(), formatted.size());
  if (!progress_.empty()) text += fitted();
  write_all(text);
}

std::string Console::fitted() const {
  winsize size{};
  // A line that reaches the last column would wrap, and could not be taken away again.
  if (ioctl(descriptor_, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return progress_;
  return progress_.substr(0, size.ws_col - 1U);
}

void Console::write_all(std::string_view text) const noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace xasink::telemetry
