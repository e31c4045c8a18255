// The command line as values.
#pragma once

#include <spdlog/common.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>

namespace xasink::cli {

enum class Command : std::uint8_t { run, status, list, recover, version };

struct Arguments {
  Command command = Command::version;
  std::filesystem::path job;  ///< the job file; empty for `version` and for `list --url`
  std::string url;            ///< list: may hold a password: never print it
  std::size_t last = 10;      ///< status: how many checkpoints
  bool audit = false;         ///< status: audit records, too
  bool dry_run = false;       ///< recover
  bool json = false;
  bool quiet = false;
  spdlog::level::level_enum log_level = spdlog::level::info;  ///< `warn` if quiet
};

/// The command line asks for a text and nothing else (`--help`, `--version`).
struct Answer {
  std::string text;
};

/// \throws Error (usage) with one sentence. It shows no argument that may hold a password.
[[nodiscard]] std::variant<Arguments, Answer> parse_arguments(int argc, const char* const* argv);

/// Whether `--json` is among the arguments, for errors that come before they are understood.
[[nodiscard]] bool wants_json(int argc, const char* const* argv) noexcept;

}  // namespace xasink::cli
