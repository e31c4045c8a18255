// Where rows come from in a stand-alone job.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "xasink/row_batch.hpp"

namespace xasink::sources {

enum class ReadResult : std::uint8_t {
  rows,  ///< the batch has rows, maybe fewer than asked for; there may be more
  idle,  ///< nothing new came before the deadline
  end,   ///< no more rows will ever come
};

/// Reads typed rows and tells and takes its position. One thread.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  /// Binds the source to the columns of the target: looks up which field feeds which column. Comes first.
  /// \throws Error (configuration) naming a column that has no field, or a field that has no column
  virtual void bind(std::shared_ptr<const TableSchema> schema) = 0;

  /// Appends up to `max_rows` rows to an empty batch; returns early with what there is when `deadline` passes, or at about
  /// 1 MiB of arena. Rows of a batch come from one file.
  /// \throws DataError with file, line, column, shortened value and reason for a value that doesn't fit
  [[nodiscard]] virtual ReadResult read(RowBatch& batch, std::size_t max_rows,
                                        std::chrono::steady_clock::time_point deadline) = 0;

  /// The place behind the last row that read() gave: opaque to everyone else, readable text (JSON).
  [[nodiscard]] virtual std::string position() const = 0;
  /// Goes to a place position() told, in this process or an earlier one. \throws Error if the input changed since
  virtual void seek(const std::string& position) = 0;

  /// True if it never ends by itself (follow, generator without rows).
  [[nodiscard]] virtual bool unbounded() const noexcept = 0;
  /// Bytes read so far and in all, or rows of a generator, for progress; empty if unknown.
  struct Progress {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
  };
  [[nodiscard]] virtual std::optional<Progress> progress() const noexcept = 0;
};

}  // namespace xasink::sources
