#include "drivers/sqlite/location.hpp"

#include <system_error>

#include "xasink/error.hpp"

namespace xasink::sqlite {
namespace {

constexpr std::string_view scheme = "sqlite:";

[[noreturn]] void refuse(std::string_view url, const std::string& why) {
  throw Error(Category::configuration, "\"" + std::string(url) + "\" names no SQLite database: " + why,
              "write sqlite:relative.db or sqlite:///absolute/path.db");
}

}  // namespace

bool is_sqlite_url(std::string_view url) noexcept { return url.starts_with(scheme); }

std::filesystem::path path_of(std::string_view url) {
  if (!is_sqlite_url(url)) refuse(url, "it does not begin with sqlite:");
  std::string_view rest = url.substr(scheme.size());
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    if (!rest.starts_with('/')) refuse(url, "after sqlite:// comes an absolute path, which makes three slashes");
  }
  if (rest.empty() || rest.ends_with('/')) refuse(url, "there is no file name");
  if (rest.find('\0') != std::string_view::npos) refuse(url, "there is a zero byte in the path");
  if (rest.starts_with(':')) refuse(url, "a database in memory does not outlive the process");
  // A question mark would be read as an option by some tools and as part of the name by others.
  if (rest.find('?') != std::string_view::npos) refuse(url, "options behind a question mark are not taken");
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(std::filesystem::path(rest), error);
  if (error) refuse(url, "the working folder can't be told (" + error.message() + ")");
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(absolute, error);
  // Unreadable folders on the way: the dots can still be resolved by name, and opening will say what is wrong.
  return error ? absolute.lexically_normal() : resolved;
}

std::string url_of(const std::filesystem::path& path) { return "sqlite://" + path.string(); }

}  // namespace xasink::sqlite
