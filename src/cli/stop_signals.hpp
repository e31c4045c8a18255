// SIGINT and SIGTERM as a wish to stop.
#pragma once

#include <atomic>

namespace xasink::cli {

/// From here on SIGINT or SIGTERM sets the flag that is returned, and the second one ends the process at once with a
/// sentence on standard error and exit code 1: safe, since a job can die anywhere. A SIGINT that was ignored when the
/// program started (in the background of a shell) stays ignored.
[[nodiscard]] const std::atomic<bool>& watch_stop_signals();

/// A reader that went away becomes an error of write(2), not the end of the process.
void ignore_broken_pipes() noexcept;

}  // namespace xasink::cli
