#include "drivers/postgresql/row_trail.hpp"

#include <algorithm>

namespace xasink::postgresql {

void RowTrail::add(const RowBatch& batch) {
  for (const std::uint64_t line : batch.lines()) {
    const bool follows =
        !runs_.empty() && runs_.back().file == batch.file() &&
        (line == 0 ? runs_.back().first_line == 0
                   : runs_.back().first_line != 0 && line == runs_.back().first_line + runs_.back().rows);
    if (follows) {
      ++runs_.back().rows;
    } else {
      if (runs_.size() == max_entries_) runs_.pop_front();
      runs_.push_back({next_row_, 1, line, batch.file()});
    }
    ++next_row_;
  }
}

RowTrail::Place RowTrail::find(std::uint64_t row) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), row,
                                      [](std::uint64_t wanted, const Run& run) { return wanted < run.first_row; });
  if (after == runs_.begin()) return {};
  const Run& run = *std::prev(after);
  if (row >= run.first_row + run.rows) return {};
  return {run.file, run.first_line == 0 ? 0 : run.first_line + (row - run.first_row)};
}

void RowTrail::clear() noexcept {
  runs_.clear();
  next_row_ = 0;
}

}  // namespace xasink::postgresql
