// Where spool files lie and what they are called.
//
// A file is named by its xid's gid with `~` for the slash, `.inprogress` until it is whole and durable, `.prepared`
// then. Several resources may share a folder: a file's header says whose it is. Every worker on a file holds its lock.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "xasink/xid.hpp"

namespace xasink::txn::staged {

/// Immutable; thread-safe.
class SpoolFolder {
 public:
  /// \throws Error (configuration) if the path is not absolute
  explicit SpoolFolder(std::filesystem::path path);

  /// Makes the folder, for this user alone, if it is missing; its parent must be there. Durable when it returns.
  /// \throws Error (io)
  void ensure() const;
  void sync() const;

  [[nodiscard]] std::filesystem::path in_progress(const Xid& xid) const;
  [[nodiscard]] std::filesystem::path prepared(const Xid& xid) const;

  struct Entry {
    std::filesystem::path path;
    Xid xid;
  };
  /// Files whose name is one of ours; none if the folder is missing.
  [[nodiscard]] std::vector<Entry> in_progress_files() const;
  [[nodiscard]] std::vector<Entry> prepared_files() const;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  [[nodiscard]] std::vector<Entry> files(std::string_view suffix) const;
  std::filesystem::path path_;
};

}  // namespace xasink::txn::staged
