#include "src/telemetry/logging.hpp"

#include <unistd.h>

namespace xasink::telemetry {

std::optional<spdlog::level::level_enum> parse_level(std::string_view word) noexcept {
  if (word == "debug") return spdlog::level::debug;
  if (word == "info") return spdlog::level::info;
  if (word == "warn") return spdlog::level::warn;
  if (word == "error") return spdlog::level::err;
  return std::nullopt;
}

Telemetry open_telemetry(spdlog::level::level_enum level) {
  auto console = std::make_shared<Console>(STDERR_FILENO);
  auto log = std::make_shared<spdlog::logger>("xasink", console);
  log->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l: %v");
  log->set_level(level);
  return {std::move(console), std::move(log)};
}

}  // namespace xasink::telemetry
