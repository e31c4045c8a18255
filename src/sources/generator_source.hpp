// Made-up rows, the same for the same seed on every machine: for trials, benchmarks and tests.
#pragma once

#include <cstdint>

#include "config/job_config.hpp"
#include "src/sources/source.hpp"

namespace xasink::sources {

/// Every value is a function of seed, row index and column, so a position is a row index and going to it costs nothing.
/// A first column that holds whole numbers of 32 or 64 bits, decimals or text is a key: row index 0, 1, 2, … Other
/// columns are random within their type; of the nullable ones, except the first, one value in 32 is NULL.
///
/// With `rows_per_second` a row comes out when it is due, counted from the first read() after bind() or seek(); rows
/// that are overdue because nobody read are given at once, never more.
class GeneratorSource final : public Source {
 public:
  /// \throws Error (configuration) if rows_per_second is not a positive number
  explicit GeneratorSource(const config::GeneratorConfig& config);

  void bind(std::shared_ptr<const TableSchema> schema) override;
  /// \throws DataError if the row index doesn't fit the key column any more; the batch holds the rows before it
  [[nodiscard]] ReadResult read(RowBatch& batch, std::size_t max_rows,
                                std::chrono::steady_clock::time_point deadline) override;
  [[nodiscard]] std::string position() const override;
  /// \throws Error (preflight) if the position is one of another seed, (corrupt) if it is none of a generator
  void seek(const std::string& position) override;
  [[nodiscard]] bool unbounded() const noexcept override { return !config_.rows; }
  [[nodiscard]] std::optional<Progress> progress() const noexcept override;

 private:
  [[nodiscard]] std::uint64_t await_due(std::uint64_t wanted, std::chrono::steady_clock::time_point deadline);
  [[nodiscard]] std::chrono::steady_clock::time_point due(std::uint64_t row) const;

  const config::GeneratorConfig config_;
  std::shared_ptr<const TableSchema> schema_;
  std::uint64_t row_ = 0;         // the next one
  std::uint64_t paced_from_ = 0;  // this row is due at pace_start_
  std::optional<std::chrono::steady_clock::time_point> pace_start_;
};

}  // namespace xasink::sources
