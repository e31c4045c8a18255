// Reads one spool file and believes nothing it says unproved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "txn/staged/file.hpp"
#include "txn/staged/spool_format.hpp"
#include "xasink/row_batch.hpp"

namespace xasink::txn::staged {

/// One thread. Every damage, cut or version that this build doesn't know is an Error (corrupt) that names file and
/// byte.
class SpoolReader {
 public:
  /// Reads and checks the header. `file` is at its beginning. \throws Error (corrupt, io)
  explicit SpoolReader(File file);

  [[nodiscard]] const SpoolHeader& header() const noexcept { return header_; }
  /// For the batches given to next().
  [[nodiscard]] const std::shared_ptr<const TableSchema>& schema() const noexcept { return schema_; }

  /// Replaces the rows of `batch` by the next block's, with their file and lines. \pre batch.shared_schema() ==
  /// schema() \returns false at the footer, once it agrees with the blocks; rows given before count only then
  [[nodiscard]] bool next(RowBatch& batch);
  /// \pre next() has returned false
  [[nodiscard]] const SpoolFooter& footer() const noexcept { return footer_; }

 private:
  [[noreturn]] void corrupt(std::uint64_t offset, const std::string& what) const;
  void read(char* to, std::uint64_t size, const char* what);
  void read_header();
  void read_block(const BlockHeader& block, RowBatch& batch);
  void check_footer(const SpoolFooter& footer);
  void check_cells(const std::vector<Cell>& cells, std::size_t arena) const;

  File file_;
  std::uint64_t size_;
  std::uint64_t offset_ = 0;
  std::uint64_t seed_ = 0;
  SpoolHeader header_;
  std::shared_ptr<const TableSchema> schema_;
  SpoolFooter seen_;  ///< what the blocks so far add up to
  SpoolFooter footer_;
  std::shared_ptr<const std::string> source_file_;
};

}  // namespace xasink::txn::staged
