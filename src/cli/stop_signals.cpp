#include "src/cli/stop_signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "src/cli/exit_code.hpp"

namespace xasink::cli {
namespace {

// A signal handler can reach nothing else: the one piece of global state of the program.
std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "or it could not be used in a signal handler");

extern "C" void on_stop_signal(int) {
  const int kept = errno;
  if (stop_asked.exchange(true)) {
    constexpr std::string_view kSentence =
        "\nxasink: asked to stop twice: ended at once; the next run settles what is open\n";
    static_cast<void>(!::write(STDERR_FILENO, kSentence.data(), kSentence.size()));
    _exit(static_cast<int>(ExitCode::failed));
  }
  errno = kept;
}

void watch(int signal_number) {
  struct sigaction before {};
  if (sigaction(signal_number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  // Both, so that the second of two different signals waits for the handler of the first.
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

const std::atomic<bool>& watch_stop_signals() {
  watch(SIGINT);
  watch(SIGTERM);
  return stop_asked;
}

void ignore_broken_pipes() noexcept {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace xasink::cli
