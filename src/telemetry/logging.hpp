// The program's log: plain lines with time and level on standard error.
#pragma once

#include <spdlog/logger.h>

#include <memory>
#include <optional>
#include <string_view>

#include "src/telemetry/console.hpp"

namespace xasink::telemetry {

/// `debug`, `info`, `warn` or `error`; empty for any other word.
[[nodiscard]] std::optional<spdlog::level::level_enum> parse_level(std::string_view word) noexcept;

/// Where a command reports what it does; results go to standard output instead. Thread-safe.
struct Telemetry {
  std::shared_ptr<Console> console;
  std::shared_ptr<spdlog::logger> log;
};

/// Over standard error. Registers nothing globally.
[[nodiscard]] Telemetry open_telemetry(spdlog::level::level_enum level);

}  // namespace xasink::telemetry
