// The spool file: one branch's rows between the first phase and the second. All numbers little-endian.
//
//   header   8 bytes `XASPOOL\n`, u32 version (1), u32 size of the body
//            body: text gid, text resource, text table, u32 columns; each: text name, u8 kind, u8 nullable,
//                  u32 precision, u32 scale, u32 max_length        (a text is u32 length and its bytes)
//            u64 checksum of all bytes before it: the seed of every checksum that follows, so that no part of one file
//            is ever taken for a part of another
//   block*   u32 `XBLK`, u32 rows, u64 index from 0, u64 arena size, u32 file name size, u32 zero,
//            u64 checksum of the payload, u64 checksum of the 40 bytes before it
//            payload: cells as in memory (16 bytes each, row by row), u64 line of each row, arena, file name
//   footer   u32 `XEND`, u32 zero, u64 blocks, u64 rows, u64 bytes (RowBatch::bytes, summed),
//            u64 checksum of the blocks' payload checksums, u64 checksum of the 40 bytes before it
//
// Then the file ends. Checksums are XXH3-64. Kinds are TypeKind's numbers, which therefore never change.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "xasink/schema.hpp"
#include "xasink/xid.hpp"

namespace xasink::txn::staged {

inline constexpr std::string_view spool_magic = "XASPOOL\n";
inline constexpr std::uint32_t spool_version = 1;
inline constexpr std::size_t header_prefix_size = 16;
inline constexpr std::size_t checksum_size = 8;
inline constexpr std::uint32_t block_magic = 0x4b4c4258;   // XBLK
inline constexpr std::uint32_t footer_magic = 0x444e4558;  // XEND
/// Blocks' headers and the footer have one size, so a reader needs not know which comes next.
inline constexpr std::size_t record_size = 48;
/// A header of more is none of ours: two thousand columns take less.
inline constexpr std::uint32_t most_header_bytes = 16U << 20;

struct SpoolHeader {
  Xid xid;
  std::string resource;  ///< as Committable::resource
  TableSchema schema;
};

struct BlockHeader {
  std::uint32_t rows = 0;
  std::uint64_t index = 0;
  std::uint64_t arena = 0;
  std::uint32_t file = 0;
  std::uint64_t payload_checksum = 0;
};

struct SpoolFooter {
  std::uint64_t blocks = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocks_checksum = 0;
};

[[nodiscard]] std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) noexcept;
/// The same of the parts put together.
[[nodiscard]] std::uint64_t checksum(std::span<const std::string_view> parts, std::uint64_t seed);
/// The running checksum over blocks after one more; begins with 0.
[[nodiscard]] std::uint64_t chain(std::uint64_t before, std::uint64_t payload_checksum, std::uint64_t seed) noexcept;

/// The whole header with its checksum as the last 8 bytes.
[[nodiscard]] std::string encode(const SpoolHeader& header);
[[nodiscard]] std::string encode(const BlockHeader& block, std::uint64_t seed);
[[nodiscard]] std::string encode(const SpoolFooter& footer, std::uint64_t seed);

/// Empty if the bytes are not exactly what encode() writes. Checksums are the caller's business for the header, checked
/// here for the records.
[[nodiscard]] std::optional<SpoolHeader> decode_header_body(std::string_view body);
[[nodiscard]] std::optional<BlockHeader> decode_block(std::string_view record, std::uint64_t seed);
[[nodiscard]] std::optional<SpoolFooter> decode_footer(std::string_view record, std::uint64_t seed);

}  // namespace xasink::txn::staged
