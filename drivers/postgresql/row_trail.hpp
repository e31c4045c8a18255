// Where the rows of a branch came from, kept small, so that an error that comes late still names its file and line.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "xasink/row_batch.hpp"

namespace xasink::postgresql {

/// Rows are counted from 0 in the order they are added. Rows whose lines follow each other share one entry; when there
/// are too many entries the oldest are forgotten, which costs the message its file and line, nothing else.
class RowTrail {
 public:
  struct Place {
    std::shared_ptr<const std::string> file;  ///< null if unknown
    std::uint64_t line = 0;
  };

  explicit RowTrail(std::size_t max_entries = 32'768) : max_entries_(max_entries) {}

  void add(const RowBatch& batch);
  [[nodiscard]] Place find(std::uint64_t row) const;
  void clear() noexcept;

 private:
  struct Run {
    std::uint64_t first_row = 0;
    std::uint64_t rows = 0;
    std::uint64_t first_line = 0;  // 0: the rows have no lines
    std::shared_ptr<const std::string> file;
  };
  std::size_t max_entries_;
  std::deque<Run> runs_;
  std::uint64_t next_row_ = 0;
};

}  // namespace xasink::postgresql
