// Standard error as people see it: log lines, and below them one progress line that is rewritten in place.
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <mutex>
#include <string>

namespace xasink::telemetry {

/// Writes each log line with one write(2). On a terminal the progress line is taken away before a log line and put back
/// after it, so that the two never mix. Thread-safe. A standard error that can't be written to is no reason to stop a
/// job: ignored.
class Console final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  /// \param descriptor stays the caller's; it must be open as long as the console lives
  explicit Console(int descriptor);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  /// Takes the progress line away.
  ~Console() override;

  [[nodiscard]] bool is_terminal() const noexcept { return is_terminal_; }
  /// Shows `line` as the progress line, cut to the terminal's width; an empty one takes it away. \pre printable ASCII.
  /// Nothing happens where there is no terminal.
  void show_progress(std::string line);

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  [[nodiscard]] std::string fitted() const;
  void write_all(std::string_view text) const noexcept;

  const int descriptor_;
  const bool is_terminal_;
  std::string progress_;
};

}  // namespace xasink::telemetry
