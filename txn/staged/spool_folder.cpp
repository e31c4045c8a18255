#include "txn/staged/spool_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include "txn/staged/file.hpp"

namespace xasink::txn::staged {
namespace {

constexpr std::string_view in_progress_suffix = ".inprogress";
constexpr std::string_view prepared_suffix = ".prepared";

std::string file_name(const Xid& xid, std::string_view suffix) {
  std::string name = xid.gid();
  std::replace(name.begin(), name.end(), '/', '~');
  return name.append(suffix);
}

std::optional<Xid> parse_file_name(std::string name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return std::nullopt;
  name.resize(name.size() - suffix.size());
  std::replace(name.begin(), name.end(), '~', '/');
  return Xid::parse_gid(name);
}

}  // namespace

SpoolFolder::SpoolFolder(std::filesystem::path path) : path_(std::move(path)) {
  if (!path_.is_absolute()) {
    throw Error(Category::configuration, "the spool folder \"" + path_.string() + "\" is not an absolute path",
                "committables name spool files by their absolute paths");
  }
}

void SpoolFolder::ensure() const {
  if (::mkdir(path_.c_str(), S_IRWXU) == 0) return sync_folder(path_.parent_path());
  const int error_number = errno;
  std::error_code ignored;
  if (error_number != EEXIST || !std::filesystem::is_directory(path_, ignored)) {
    throw io_error("make the spool folder", path_, error_number);
  }
}

void SpoolFolder::sync() const { sync_folder(path_); }

std::filesystem::path SpoolFolder::in_progress(const Xid& xid) const {
  return path_ / file_name(xid, in_progress_suffix);
}

std::filesystem::path SpoolFolder::prepared(const Xid& xid) const { return path_ / file_name(xid, prepared_suffix); }

std::vector<SpoolFolder::Entry> SpoolFolder::in_progress_files() const { return files(in_progress_suffix); }

std::vector<SpoolFolder::Entry> SpoolFolder::prepared_files() const { return files(prepared_suffix); }

std::vector<SpoolFolder::Entry> SpoolFolder::files(std::string_view suffix) const {
  std::vector<Entry> found;
  std::error_code error;
  std::filesystem::directory_iterator at(path_, error);
  if (error == std::errc::no_such_file_or_directory) return found;
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    if (auto xid = parse_file_name(at->path().filename().string(), suffix))
      found.push_back({at->path(), std::move(*xid)});
  }
  if (error) throw io_error("list the spool folder", path_, error.value());
  return found;
}

}  // namespace xasink::txn::staged
