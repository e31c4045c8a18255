#include "txn/fault.hpp"

#include <csignal>
#include <cstdlib>
#include <atomic>
#include <charconv>
#include <optional>
#include <string>

#include "xasink/error.hpp"

namespace xasink::txn {
namespace {

struct Armed {
  std::string point;
  std::string action;
  unsigned long nth = 1;
};

std::optional<Armed> read_environment() {
  const char* text = std::getenv("XASINK_FAULT");
  if (text == nullptr || *text == '\0') return std::nullopt;
  const std::string_view all = text;
  const auto first = all.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = all.find(':', first + 1);
  Armed armed{std::string(all.substr(0, first)), std::string(all.substr(first + 1, second - first - 1)), 1};
  if (second != std::string_view::npos) {
    std::from_chars(all.data() + second + 1, all.data() + all.size(), armed.nth);
  }
  return armed;
}

}  // namespace

void fault_point(std::string_view name) {
  static const std::optional<Armed> armed = read_environment();
  static std::atomic<unsigned long> passages{0};
  if (!armed || (armed->point != "any" && armed->point != name)) return;
  if (passages.fetch_add(1) + 1 != armed->nth) return;
  if (armed->action == "kill") {
    std::raise(SIGKILL);
  } else if (armed->action == "stop") {
    std::raise(SIGSTOP);
  } else {
    ErrorDetails details;
    details.category = Category::connection;
    details.retryable = true;
    throw Error("fault injected at " + std::string(name), details);
  }
}

}  // namespace xasink::txn
