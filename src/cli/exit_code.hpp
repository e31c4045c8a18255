// What the program's end tells the shell.
#pragma once

#include <cstdint>
#include <string_view>

#include "xasink/error.hpp"

namespace xasink::cli {

/// The numbers are part of the command's contract: they are never given another meaning.
enum class ExitCode : std::uint8_t {
  done = 0,
  failed = 1,         ///< running again may help
  usage = 2,          ///< command line, job file or URL
  refused = 3,        ///< by preflight, or because another process runs the job
  rows_rejected = 4,  ///< a row can't be stored as it is
  look = 5,           ///< in doubt, lost or damaged: an operator must look
};

[[nodiscard]] ExitCode exit_code(Category category) noexcept;
/// The category as `--json` spells it: the enumerator's name.
[[nodiscard]] std::string_view category_name(Category category) noexcept;

}  // namespace xasink::cli
