#include "src/cli/exit_code.hpp"

namespace xasink::cli {

ExitCode exit_code(Category category) noexcept {
  switch (category) {
    case Category::usage:
    case Category::configuration: return ExitCode::usage;
    case Category::preflight: return ExitCode::refused;
    // A supervisor that starts the fenced process again would fence its successor, and so on.
    case Category::fenced: return ExitCode::refused;
    case Category::data: return ExitCode::rows_rejected;
    case Category::connection:
    case Category::contention:
    case Category::resources:
    case Category::server:
    case Category::io:
    case Category::internal: return ExitCode::failed;
    case Category::in_doubt:
    case Category::lost:
    case Category::corrupt: return ExitCode::look;
  }
  return ExitCode::failed;
}

std::string_view category_name(Category category) noexcept {
  switch (category) {
    case Category::usage: return "usage";
    case Category::configuration: return "configuration";
    case Category::preflight: return "preflight";
    case Category::data: return "data";
    case Category::connection: return "connection";
    case Category::contention: return "contention";
    case Category::resources: return "resources";
    case Category::server: return "server";
    case Category::fenced: return "fenced";
    case Category::in_doubt: return "in_doubt";
    case Category::lost: return "lost";
    case Category::corrupt: return "corrupt";
    case Category::io: return "io";
    case Category::internal: return "internal";
  }
  return "internal";
}

}  // namespace xasink::cli
