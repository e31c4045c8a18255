#include "txn/staged/spool_writer.hpp"

#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <string_view>

#include "txn/fault.hpp"
#include "txn/wire.hpp"

namespace xasink::txn::staged {
namespace {

static_assert(std::endian::native == std::endian::little, "cells are spooled as they lie in memory");

constexpr std::uint64_t writeback_step = 8ULL << 20;

std::string_view as_bytes(const void* data, std::size_t size) { return {static_cast<const char*>(data), size}; }

iovec part_of(std::string_view bytes) {
  iovec part{};
  part.iov_base = const_cast<char*>(bytes.data());  // writev only reads
  part.iov_len = bytes.size();
  return part;
}

}  // namespace

SpoolWriter::SpoolWriter(const SpoolFolder& folder, const SpoolHeader& header)
    : folder_(folder), prepared_(folder.prepared(header.xid)) {
  folder_.ensure();
  XASINK_FAULT_POINT("staged.before_create");
  file_.emplace(File::create(folder_.in_progress(header.xid)));
  try {
    // A newer incarnation that cleans up may have come between the two lines: then this one is fenced out.
    if (!file_->try_lock() || !file_->linked()) {
      throw FencedError(file_->path().string() + " was taken away while it was being made");
    }
    XASINK_FAULT_POINT("staged.created");
    const std::string bytes = encode(header);
    seed_ =
        WireReader(std::string_view(bytes).substr(bytes.size() - checksum_size)).number<std::uint64_t>().value_or(0);
    write(bytes);
  } catch (...) {
    abort();
    throw;
  }
}

void SpoolWriter::write(std::string_view bytes) {
  iovec part = part_of(bytes);
  file_->write({&part, 1});
}

void SpoolWriter::append(const RowBatch& batch) {
  if (batch.empty()) return;
  const std::string_view file = batch.file() == nullptr ? std::string_view() : *batch.file();
  if (batch.rows() > std::numeric_limits<std::uint32_t>::max() ||
      file.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(Category::usage, "a batch of " + std::to_string(batch.rows()) + " rows is too large for a spool block");
  }
  const std::array payload{as_bytes(batch.cells().data(), batch.rows() * batch.columns() * sizeof(Cell)),
                           as_bytes(batch.lines().data(), batch.rows() * sizeof(std::uint64_t)),
                           std::string_view(batch.arena()), file};
  BlockHeader block;
  block.rows = static_cast<std::uint32_t>(batch.rows());
  block.index = footer_.blocks;
  block.arena = batch.arena().size();
  block.file = static_cast<std::uint32_t>(file.size());
  block.payload_checksum = checksum(payload, seed_);
  const std::string record = encode(block, seed_);
  std::array parts{part_of(record), part_of(payload[0]), part_of(payload[1]), part_of(payload[2]), part_of(payload[3])};
  file_->write(parts);

  ++footer_.blocks;
  footer_.rows += batch.rows();
  footer_.bytes += batch.bytes();
  footer_.blocks_checksum = chain(footer_.blocks_checksum, block.payload_checksum, seed_);
  unsynced_ += batch.bytes();
  if (unsynced_ >= writeback_step) {
    file_->start_writeback();
    unsynced_ = 0;
  }
}

std::filesystem::path SpoolWriter::finish() {
  XASINK_FAULT_POINT("staged.rows_spooled");
  write(encode(footer_, seed_));
  XASINK_FAULT_POINT("staged.footer_written");
  file_->sync();
  XASINK_FAULT_POINT("staged.synced");
  // The content is on disk before the name says so, and the name before anybody is told. The lock goes with the file.
  if (std::rename(file_->path().c_str(), prepared_.c_str()) != 0) {
    throw io_error("rename to .prepared", file_->path(), errno);
  }
  renamed_ = true;
  XASINK_FAULT_POINT("staged.renamed");
  folder_.sync();
  XASINK_FAULT_POINT("staged.prepared");
  file_.reset();
  return prepared_;
}

void SpoolWriter::abort() noexcept {
  if (file_ && !renamed_) ::unlink(file_->path().c_str());
  file_.reset();
}

}  // namespace xasink::txn::staged
