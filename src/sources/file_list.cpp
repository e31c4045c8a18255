#include "src/sources/file_list.hpp"

#include <glob.h>
#include <simdjson.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <string_view>
#include <system_error>

#include "src/sources/refuse.hpp"
#include "xasink/error.hpp"

namespace xasink::sources {

namespace {

class Matches {
 public:
  explicit Matches(const std::string& pattern)
      : status_(::glob(pattern.c_str(), GLOB_NOSORT | GLOB_ERR, nullptr, &glob_)) {}
  Matches(const Matches&) = delete;
  Matches& operator=(const Matches&) = delete;
  ~Matches() { ::globfree(&glob_); }

  [[nodiscard]] int status() const noexcept { return status_; }
  [[nodiscard]] char* const* begin() const noexcept { return glob_.gl_pathv; }
  [[nodiscard]] char* const* end() const noexcept { return glob_.gl_pathv + glob_.gl_pathc; }

 private:
  glob_t glob_{};
  int status_;
};

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISBLK(mode)) return "a block device";
  return "a socket";
}

FileEntry examine(std::string name) {
  // Names go into the position, which is JSON.
  if (!simdjson::validate_utf8(name)) {
    throw Error(Category::configuration, "the name of file " + in_quotes(name) + " is no valid UTF-8",
                "rename the file");
  }
  struct stat status {};
  if (::stat(name.c_str(), &status) != 0) {
    throw Error(Category::io, name + " can't be examined: " + std::generic_category().message(errno),
                "check the path and its permissions");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(Category::configuration, name + " is " + std::string(kind_of(status.st_mode)) + ", no regular file",
                S_ISDIR(status.st_mode) ? "name the files in it, with a pattern such as " + name + "/*.csv"
                                        : "a source must be able to go back: write the data to a file first");
  }
  return {std::move(name), static_cast<std::uint64_t>(status.st_size)};
}

}  // namespace

std::vector<FileEntry> list_files(const std::vector<std::string>& patterns, bool may_be_missing) {
  std::vector<std::string> names;
  for (const std::string& pattern : patterns) {
    struct stat status {};
    if (::stat(pattern.c_str(), &status) == 0) {  // a file may have [ or * in its name
      names.push_back(pattern);
      continue;
    }
    const Matches matches(pattern);
    switch (matches.status()) {
      case 0: names.insert(names.end(), matches.begin(), matches.end()); break;
      case GLOB_NOMATCH:
        if (may_be_missing) break;
        throw Error(Category::configuration, "no file matches " + pattern,
                    "check source.path; relative paths count from the folder xasink was started in");
      case GLOB_NOSPACE: throw std::bad_alloc();
      default: throw Error(Category::io, "a folder of " + pattern + " can't be read", "check its permissions");
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<FileEntry> files;
  files.reserve(names.size());
  for (std::string& name : names) files.push_back(examine(std::move(name)));
  return files;
}

}  // namespace xasink::sources
