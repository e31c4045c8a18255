// The one place where an error becomes words.
#pragma once

#include <exception>
#include <string>

#include "src/cli/exit_code.hpp"
#include "src/cli/result_output.hpp"

namespace xasink::cli {

/// `xasink: <what>`, and `  hint: <hint>` if there is one, each with a newline.
[[nodiscard]] std::string error_text(const Error& error);
/// `{"error": {category, message, hint, sqlstate, vendor_code, xid, file, line, column}, "exit_code": n}`; what is not
/// known is null.
[[nodiscard]] Json error_json(const Error& error);

/// Tells what ended the program: as text on standard error, or as JSON on standard output. \returns its exit code
[[nodiscard]] ExitCode report(const Error& error, bool json) noexcept;
/// Likewise for anything that was thrown. \pre `thrown` is not null
[[nodiscard]] ExitCode report(const std::exception_ptr& thrown, bool json) noexcept;

}  // namespace xasink::cli
