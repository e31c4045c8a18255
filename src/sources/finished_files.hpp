// The memory of files that were read to their end.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>

#include "src/sources/file_list.hpp"

namespace xasink::sources {

/// The newest few by name and size, those before them by their number and one hash over names and sizes: its size is
/// bounded whatever the number of files. One thread.
struct FinishedFiles {
  static constexpr std::size_t max_recent = 16;

  std::uint64_t folded = 0;  ///< how many files the hash stands for
  std::uint64_t folded_hash = 0;
  std::string folded_last;       ///< name of the last of them
  std::deque<FileEntry> recent;  ///< in order, behind folded_last

  /// \pre the name sorts behind all before
  void add(FileEntry file);
  [[nodiscard]] bool empty() const noexcept { return folded == 0 && recent.empty(); }
  /// Name of the newest, empty if there is none.
  [[nodiscard]] const std::string& last() const noexcept { return recent.empty() ? folded_last : recent.back().name; }

  /// Checks that `earlier`, all files there are now that sort up to and before the file to go on with, are these files.
  /// \throws Error (preflight) naming a file that is new, missing, or of another size
  void check(std::span<const FileEntry> earlier) const;
};

}  // namespace xasink::sources
