// A job file in a folder of its own, and environment variables for as long as a test runs.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "config/job_config.hpp"

namespace xasink::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "xasink-config-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

class EnvironmentVariable {
 public:
  EnvironmentVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
  ~EnvironmentVariable() { ::unsetenv(name_.c_str()); }

 private:
  std::string name_;
};

/// Writes the text to a file `job.yaml` and loads it.
inline config::JobConfig load_text(const std::string& text) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "job.yaml";
  std::ofstream(file, std::ios::binary) << text;
  return config::load_job(file);
}

}  // namespace xasink::test
