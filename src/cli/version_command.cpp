#include <fmt/format.h>

#include "build_versions.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/library_versions.hpp"
#include "src/cli/result_output.hpp"

namespace xasink::cli {

ExitCode version_command(const Arguments& arguments) {
  const auto libraries = library_versions();
  if (arguments.json) {
    Json json{{"version", kVersion}, {"libraries", Json::object()}};
    for (const LibraryVersion& library : libraries) json["libraries"][library.name] = library.version;
    write_json(json);
    return ExitCode::done;
  }
  std::string text = fmt::format("xasink {}\n", kVersion);
  for (const LibraryVersion& library : libraries) text += fmt::format("  {} {}\n", library.name, library.version);
  write_result(text);
  return ExitCode::done;
}

}  // namespace xasink::cli
