// The files a source reads, in the order it reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xasink::sources {

struct FileEntry {
  std::string name;  ///< path as the pattern gave it
  std::uint64_t size = 0;

  friend bool operator==(const FileEntry&, const FileEntry&) = default;
};

/// Every file that a pattern matches, once, sorted by name byte by byte (so in any locale alike).
/// \throws Error (configuration) naming a pattern that matches nothing, unless `may_be_missing`, or a match that is no
/// regular file; Error (io) if a folder can't be read
[[nodiscard]] std::vector<FileEntry> list_files(const std::vector<std::string>& patterns, bool may_be_missing);

}  // namespace xasink::sources
