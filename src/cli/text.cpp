#include "src/cli/text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace xasink::cli {

std::string utc_text(Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time - seconds).count();
  const std::tm utc = fmt::gmtime(std::chrono::system_clock::to_time_t(seconds));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", utc, millis);
}

std::string printable(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    if (byte >= ' ' && byte <= '~') {
      text += byte;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return text;
}

}  // namespace xasink::cli
