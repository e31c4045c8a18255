#pragma once

#include <string>
#include <vector>

namespace xasink::cli {

struct LibraryVersion {
  std::string name;
  std::string version;  ///< of the loaded library where it tells, else of the one built with
};

[[nodiscard]] std::vector<LibraryVersion> library_versions();

}  // namespace xasink::cli
