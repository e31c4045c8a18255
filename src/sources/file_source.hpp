// Rows from CSV or JSON-lines files, one file after the other in the order of their names.
//
// The position names the files that are finished, the file being read, and in it the next record and a fingerprint of
// everything before it. Going to a position therefore proves that the files still hold the rows that were read: a file
// that is new among them, missing, shrunk or changed is an error. After a crash a new process goes to the position of
// the last decision and reads on; nothing is kept but the position.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "config/job_config.hpp"
#include "src/sources/file_list.hpp"
#include "src/sources/file_position.hpp"
#include "src/sources/finished_files.hpp"
#include "src/sources/line_reader.hpp"
#include "src/sources/record_parser.hpp"
#include "src/sources/source.hpp"

namespace xasink::sources {

/// After a DataError the batch holds the rows before the bad one, position() is behind them, and the next read() meets
/// the bad one again. With `follow` it never ends: at the end of the last file it waits for whole lines to be added to
/// it, or for a file whose name sorts behind it.
class FileSource final : public Source {
 public:
  static constexpr std::size_t default_buffer_bytes = 256 * 1024;

  /// \throws Error (configuration) if the options contradict each other
  explicit FileSource(const config::FileSourceConfig& config, std::size_t buffer_bytes = default_buffer_bytes);

  /// Also finds the files and checks the header of each. \throws also Error (configuration, io) naming a file
  void bind(std::shared_ptr<const TableSchema> schema) override;
  [[nodiscard]] ReadResult read(RowBatch& batch, std::size_t max_rows,
                                std::chrono::steady_clock::time_point deadline) override;
  [[nodiscard]] std::string position() const override;
  /// \throws Error (preflight) naming the file that is not as it was, (corrupt) if the text is no position
  void seek(const std::string& position) override;
  [[nodiscard]] bool unbounded() const noexcept override { return config_.follow; }
  [[nodiscard]] std::optional<Progress> progress() const noexcept override;

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  void require_bound() const;
  void check_headers();
  [[nodiscard]] bool feed_header(LineReader& reader);
  void open_current();
  void take_lines(RowBatch& batch, std::size_t max_rows, Deadline deadline);
  void record_ended() noexcept;
  void rewind_to_record();
  void finish_current();
  [[nodiscard]] bool await_more(Deadline deadline);
  void list_again(const std::string& begun);
  void require_unchanged(const FilePosition& position) const;

  const config::FileSourceConfig config_;
  std::unique_ptr<RecordParser> parser_;
  LineReader reader_;
  std::shared_ptr<const TableSchema> schema_;

  std::vector<FileEntry> files_;
  std::size_t current_ = 0;  // of files_; open if reader_ is
  FinishedFiles finished_;
  std::shared_ptr<const std::string> file_name_;  // of the open file, shared with its batches
  std::uint64_t record_offset_ = 0;               // where the next record begins
  std::uint64_t record_line_ = 1;
  std::uint64_t line_ = 1;      // of the reader
  bool inside_record_ = false;  // the reader and the parser are past record_offset_
  bool exhausted_ = false;      // without follow: the end of the open file was met
  Deadline next_listing_{};     // follow: when to look for new files again
};

}  // namespace xasink::sources
