// The `log:` key.
#include <algorithm>
#include <system_error>

#include "config/sections.hpp"

namespace xasink::config {
namespace {

constexpr std::string_view spellings = "write `sqlite:///absolute/path.db` or `sqlite:relative/path.db`";

/// The scheme as far as it is safe to show: only from what the file itself says, only up to the colon.
std::string scheme(const std::string& shown) {
  const std::size_t colon = shown.find(':');
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+.-";
  if (colon == std::string::npos || shown.find_first_not_of(letters) != colon) return "another kind of log";
  return "a `" + shown.substr(0, colon) + ":` log";
}

}  // namespace

LogConfig read_log(const Value& value) {
  constexpr std::string_view sqlite = "sqlite:";
  LogConfig log{value.name(), {}};
  if (!log.url.starts_with(sqlite)) {
    value.refuse("asks for " + scheme(value.shown()) + ", only SQLite files are supported", std::string(spellings));
  }
  std::string path = log.url.substr(sqlite.size());
  if (path.starts_with("///")) {
    path.erase(0, 2);
  } else if (path.starts_with("//")) {
    value.refuse("names a host; a SQLite file is on this machine", std::string(spellings));
  }
  if (path.empty() || path.ends_with('/')) value.refuse("names no file", std::string(spellings));
  if (path == ":memory:") {
    value.refuse("is a database in memory, which would forget every decision", std::string(spellings));
  }
  if (path.find('?') != std::string::npos)
    value.refuse("has options behind a `?`", "the log takes none; leave them out");
  log.path = absolute_path(path);
  std::error_code error;
  if (std::filesystem::is_directory(log.path, error))
    value.refuse("is a folder, a file is expected", "name a file in it");
  return log;
}

std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::filesystem::path result;
  for (const std::filesystem::path& step : std::filesystem::absolute(path)) {
    if (step != ".") result /= step;
  }
  return result;
}

}  // namespace xasink::config
