// Files made for a test, and what a source reads from them as text.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/job_config.hpp"
#include "src/sources/file_source.hpp"
#include "src/sources/source.hpp"
#include "xasink/error.hpp"
#include "xasink/row_batch.hpp"

namespace xasink::test {

/// Removed with everything in it when the test ends.
class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// \returns the path
  std::string write(const std::string& name, std::string_view content) const;
  void append(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path folder_;
};

[[nodiscard]] std::string gzip(std::string_view content);

/// `id:int64! name:text amount:decimal(12,2)`, a `!` for NOT NULL.
[[nodiscard]] std::shared_ptr<const TableSchema> columns(std::string_view text);

/// Each row as `1|abc|NULL`: integers and booleans as numbers, everything held as bytes as it is.
[[nodiscard]] std::vector<std::string> rows_of(const RowBatch& batch);

[[nodiscard]] config::FileSourceConfig csv(std::vector<std::string> paths);  ///< with a header
[[nodiscard]] config::FileSourceConfig jsonl(std::vector<std::string> paths);

[[nodiscard]] std::chrono::steady_clock::time_point in(std::chrono::milliseconds time);

/// A source bound to columns, and its batch.
class Reader {
 public:
  /// `buffer_bytes` is for file sources.
  Reader(const config::SourceConfig& config, std::shared_ptr<const TableSchema> schema,
         std::size_t buffer_bytes = sources::FileSource::default_buffer_bytes);

  /// What one read() gives.
  [[nodiscard]] std::vector<std::string> some(std::size_t rows, std::chrono::milliseconds wait = {});
  /// All rows up to the end, or until it would have to wait.
  [[nodiscard]] std::vector<std::string> rest(std::size_t rows_each = 1000);
  [[nodiscard]] sources::ReadResult last_result() const noexcept { return last_result_; }
  [[nodiscard]] const RowBatch& batch() const noexcept { return batch_; }

  [[nodiscard]] std::string position() const { return source_->position(); }
  void seek(const std::string& position) { source_->seek(position); }
  [[nodiscard]] sources::Source& source() noexcept { return *source_; }

 private:
  std::unique_ptr<sources::Source> source_;
  RowBatch batch_;
  sources::ReadResult last_result_ = sources::ReadResult::rows;
};

/// Runs it and returns the error's message and hint. Fails the test if nothing, or another exception, is thrown.
[[nodiscard]] std::string error_of(const std::function<void()>& act, Category category);

}  // namespace xasink::test
