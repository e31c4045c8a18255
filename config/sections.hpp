// The sections of a job file, each read by a function of its own. All throw Error (configuration).
#pragma once

#include <filesystem>
#include <vector>

#include "config/job_config.hpp"
#include "config/strict_reader.hpp"

namespace xasink::config {

[[nodiscard]] SourceConfig read_source(const Value& value);
[[nodiscard]] std::vector<TargetConfig> read_targets(const Value& value);

struct LogConfig {
  std::string url;
  std::filesystem::path path;  ///< absolute
};
[[nodiscard]] LogConfig read_log(const Value& value);

/// As seen from the working folder; `.` steps are dropped, `..` steps are kept: behind a link they lead elsewhere.
[[nodiscard]] std::filesystem::path absolute_path(const std::filesystem::path& path);

/// True if the source never ends by itself.
[[nodiscard]] bool unbounded(const SourceConfig& source);

}  // namespace xasink::config
