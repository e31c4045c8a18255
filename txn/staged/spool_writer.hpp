// Writes one spool file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "txn/staged/file.hpp"
#include "txn/staged/spool_folder.hpp"
#include "txn/staged/spool_format.hpp"
#include "xasink/row_batch.hpp"

namespace xasink::txn::staged {

/// One thread. Must not outlive its folder. After an error the file is given up: only abort() or destruction may
/// follow.
class SpoolWriter {
 public:
  /// Makes `<xid>.inprogress` and locks it. Dies after: the file is left, and discarded by a later incarnation.
  /// \throws Error (io)
  SpoolWriter(const SpoolFolder& folder, const SpoolHeader& header);
  SpoolWriter(const SpoolWriter&) = delete;
  SpoolWriter& operator=(const SpoolWriter&) = delete;
  /// As abort(), unless the file is finished.
  ~SpoolWriter() { abort(); }

  /// Appends the rows of a batch as one block, straight from its memory. \pre batch.schema() is the header's
  void append(const RowBatch& batch);

  /// Footer, sync, rename to `.prepared`, sync of the folder. \returns the path of the `.prepared` file, durable now.
  /// Dies before the rename: nothing. Dies after: the branch is prepared; if no decision names it, it is an orphan.
  [[nodiscard]] std::filesystem::path finish();
  /// Removes the file unless it was renamed.
  void abort() noexcept;

  [[nodiscard]] std::uint64_t rows() const noexcept { return footer_.rows; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return footer_.bytes; }

 private:
  void write(std::string_view bytes);

  const SpoolFolder& folder_;
  std::filesystem::path prepared_;
  std::optional<File> file_;
  bool renamed_ = false;
  std::uint64_t seed_ = 0;
  std::uint64_t unsynced_ = 0;
  SpoolFooter footer_;
};

}  // namespace xasink::txn::staged
