#include "txn/staged/spool_format.hpp"

#include <xxhash.h>

#include <memory>
#include <new>

#include "txn/wire.hpp"

namespace xasink::txn::staged {
namespace {

constexpr std::uint32_t most_columns = 32'767;

struct FreeState {
  void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
};

std::string sealed(WireWriter writer, std::uint64_t seed) {
  writer.number(checksum(writer.bytes(), seed));
  return writer.take();
}

/// A record's fields if its seal is whole.
std::optional<WireReader> unsealed(std::string_view record, std::uint64_t seed) {
  if (record.size() != record_size) return std::nullopt;
  const std::string_view fields = record.substr(0, record_size - checksum_size);
  if (WireReader(record.substr(fields.size())).number<std::uint64_t>() != checksum(fields, seed)) return std::nullopt;
  return WireReader(fields);
}

std::optional<Column> decode_column(WireReader& reader) {
  const auto name = reader.text();
  const auto kind = reader.number<std::uint8_t>();
  const auto nullable = reader.number<std::uint8_t>();
  const auto precision = reader.number<std::uint32_t>();
  const auto scale = reader.number<std::uint32_t>();
  const auto max_length = reader.number<std::uint32_t>();
  if (!name || !kind || !nullable || !precision || !scale || !max_length) return std::nullopt;
  if (*kind > static_cast<std::uint8_t>(TypeKind::json) || *nullable > 1) return std::nullopt;
  return Column{
      std::string(*name),
      ColumnType{static_cast<TypeKind>(*kind), static_cast<int>(*precision), static_cast<int>(*scale), *max_length},
      *nullable == 1};
}

}  // namespace

std::uint64_t checksum(std::string_view bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t checksum(std::span<const std::string_view> parts, std::uint64_t seed) {
  const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  if (state == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset_withSeed(state.get(), seed);
  for (const std::string_view part : parts) XXH3_64bits_update(state.get(), part.data(), part.size());
  return XXH3_64bits_digest(state.get());
}

std::uint64_t chain(std::uint64_t before, std::uint64_t payload_checksum, std::uint64_t seed) noexcept {
  const std::uint64_t both[] = {before, payload_checksum};
  return XXH3_64bits_withSeed(both, sizeof(both), seed);
}

std::string encode(const SpoolHeader& header) {
  WireWriter body;
  body.text(header.xid.gid());
  body.text(header.resource);
  body.text(header.schema.table);
  body.number(static_cast<std::uint32_t>(header.schema.columns.size()));
  for (const Column& column : header.schema.columns) {
    body.text(column.name);
    body.number(static_cast<std::uint8_t>(column.type.kind));
    body.number(static_cast<std::uint8_t>(column.nullable ? 1 : 0));
    body.number(static_cast<std::uint32_t>(column.type.precision));
    body.number(static_cast<std::uint32_t>(column.type.scale));
    body.number(column.type.max_length);
  }
  WireWriter whole;
  whole.raw(spool_magic);
  whole.number(spool_version);
  whole.number(static_cast<std::uint32_t>(body.bytes().size()));
  whole.raw(body.bytes());
  return sealed(std::move(whole), 0);
}

std::string encode(const BlockHeader& block, std::uint64_t seed) {
  WireWriter writer;
  writer.number(block_magic);
  writer.number(block.rows);
  writer.number(block.index);
  writer.number(block.arena);
  writer.number(block.file);
  writer.number(std::uint32_t{0});
  writer.number(block.payload_checksum);
  return sealed(std::move(writer), seed);
}

std::string encode(const SpoolFooter& footer, std::uint64_t seed) {
  WireWriter writer;
  writer.number(footer_magic);
  writer.number(std::uint32_t{0});
  writer.number(footer.blocks);
  writer.number(footer.rows);
  writer.number(footer.bytes);
  writer.number(footer.blocks_checksum);
  return sealed(std::move(writer), seed);
}

std::optional<SpoolHeader> decode_header_body(std::string_view body) {
  WireReader reader(body);
  const auto gid = reader.text();
  const auto resource = reader.text();
  const auto table = reader.text();
  const auto columns = reader.number<std::uint32_t>();
  if (!gid || !resource || !table || !columns || *columns == 0 || *columns > most_columns) return std::nullopt;
  auto xid = Xid::parse_gid(*gid);
  if (!xid) return std::nullopt;
  SpoolHeader header{std::move(*xid), std::string(*resource), TableSchema{std::string(*table), {}}};
  for (std::uint32_t i = 0; i < *columns; ++i) {
    auto column = decode_column(reader);
    if (!column) return std::nullopt;
    header.schema.columns.push_back(std::move(*column));
  }
  if (!reader.at_end()) return std::nullopt;
  return header;
}

std::optional<BlockHeader> decode_block(std::string_view record, std::uint64_t seed) {
  auto reader = unsealed(record, seed);
  if (!reader || reader->number<std::uint32_t>() != block_magic) return std::nullopt;
  BlockHeader block;
  block.rows = reader->number<std::uint32_t>().value_or(0);
  block.index = reader->number<std::uint64_t>().value_or(0);
  block.arena = reader->number<std::uint64_t>().value_or(0);
  block.file = reader->number<std::uint32_t>().value_or(0);
  if (reader->number<std::uint32_t>() != 0U || block.rows == 0) return std::nullopt;
  block.payload_checksum = reader->number<std::uint64_t>().value_or(0);
  return block;
}

std::optional<SpoolFooter> decode_footer(std::string_view record, std::uint64_t seed) {
  auto reader = unsealed(record, seed);
  if (!reader || reader->number<std::uint32_t>() != footer_magic) return std::nullopt;
  if (reader->number<std::uint32_t>() != 0U) return std::nullopt;
  SpoolFooter footer;
  footer.blocks = reader->number<std::uint64_t>().value_or(0);
  footer.rows = reader->number<std::uint64_t>().value_or(0);
  footer.bytes = reader->number<std::uint64_t>().value_or(0);
  footer.blocks_checksum = reader->number<std::uint64_t>().value_or(0);
  return footer;
}

}  // namespace xasink::txn::staged
