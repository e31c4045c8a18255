#include "txn/staged/spool_reader.hpp"

#include <array>
#include <span>
#include <utility>

#include "txn/wire.hpp"

namespace xasink::txn::staged {
namespace {

bool held_as_bytes(TypeKind kind) noexcept {
  switch (kind) {
    case TypeKind::decimal:
    case TypeKind::text:
    case TypeKind::bytes:
    case TypeKind::uuid:
    case TypeKind::json: return true;
    case TypeKind::int8:
    case TypeKind::int16:
    case TypeKind::int32:
    case TypeKind::int64:
    case TypeKind::uint8:
    case TypeKind::uint16:
    case TypeKind::uint32:
    case TypeKind::uint64:
    case TypeKind::float32:
    case TypeKind::float64:
    case TypeKind::boolean:
    case TypeKind::date:
    case TypeKind::time:
    case TypeKind::timestamp:
    case TypeKind::timestamptz: return false;
  }
  return false;
}

}  // namespace

SpoolReader::SpoolReader(File file) : file_(std::move(file)), size_(file_.size()) {
  read_header();
  schema_ = std::make_shared<const TableSchema>(header_.schema);
}

void SpoolReader::corrupt(std::uint64_t offset, const std::string& what) const {
  throw Error(Category::corrupt,
              "spool file " + file_.path().string() + " is damaged at byte " + std::to_string(offset) + ": " + what,
              "restore the file from a copy; nothing of it was applied");
}

void SpoolReader::read(char* to, std::uint64_t size, const char* what) {
  if (size > size_ - offset_ || file_.read(to, size) != size) {
    corrupt(offset_, std::string("the file ends inside ") + what);
  }
  offset_ += size;
}

void SpoolReader::read_header() {
  std::string bytes(header_prefix_size, '\0');
  read(bytes.data(), bytes.size(), "the header");
  if (!bytes.starts_with(spool_magic)) corrupt(0, "it is no spool file");
  WireReader prefix(std::string_view(bytes).substr(spool_magic.size()));
  const std::uint32_t version = prefix.number<std::uint32_t>().value_or(0);
  const std::uint32_t body = prefix.number<std::uint32_t>().value_or(0);
  if (version != spool_version) {
    corrupt(spool_magic.size(), "format version " + std::to_string(version) + " is not known to this build");
  }
  if (body > most_header_bytes || body > size_) corrupt(offset_, "the header's size can't be right");
  bytes.resize(header_prefix_size + body + checksum_size);
  read(bytes.data() + header_prefix_size, body + checksum_size, "the header");
  const std::string_view sealed = std::string_view(bytes).substr(0, header_prefix_size + body);
  seed_ = WireReader(std::string_view(bytes).substr(sealed.size())).number<std::uint64_t>().value_or(0);
  if (checksum(sealed, 0) != seed_) corrupt(sealed.size(), "the header's checksum is wrong");
  auto header = decode_header_body(sealed.substr(header_prefix_size));
  if (!header) corrupt(header_prefix_size, "the header makes no sense");
  header_ = std::move(*header);
}

bool SpoolReader::next(RowBatch& batch) {
  const std::uint64_t at = offset_;
  std::array<char, record_size> bytes{};
  read(bytes.data(), bytes.size(), "a block's header or the footer");
  const std::string_view record(bytes.data(), bytes.size());
  if (const auto block = decode_block(record, seed_)) {
    if (block->index != seen_.blocks) corrupt(at, "block " + std::to_string(block->index) + " is out of its place");
    read_block(*block, batch);
    return true;
  }
  const auto footer = decode_footer(record, seed_);
  if (!footer) corrupt(at, "neither a whole block nor a footer begins here");
  check_footer(*footer);
  return false;
}

void SpoolReader::read_block(const BlockHeader& block, RowBatch& batch) {
  const std::uint64_t at = offset_;
  const std::uint64_t cell_count = std::uint64_t{block.rows} * header_.schema.columns.size();
  // Sizes are held against the file before memory is taken for them. No sum here can overflow: 32 bits of rows times
  // 15 bits of columns times 16 bytes stays under 2^51.
  const std::uint64_t fixed =
      cell_count * sizeof(Cell) + std::uint64_t{block.rows} * sizeof(std::uint64_t) + block.file;
  if (fixed > size_ - offset_ || block.arena > size_ - offset_ - fixed) corrupt(at, "the file ends inside a block");
  std::vector<Cell> cells(cell_count);
  std::vector<std::uint64_t> lines(block.rows);
  std::string arena(block.arena, '\0');
  std::string file(block.file, '\0');
  const std::array<std::span<char>, 4> parts{
      std::span(reinterpret_cast<char*>(cells.data()), cell_count * sizeof(Cell)),
      std::span(reinterpret_cast<char*>(lines.data()), lines.size() * sizeof(lines[0])), std::span(arena),
      std::span(file)};
  std::array<std::string_view, 4> payload;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    read(parts[i].data(), parts[i].size(), "a block");
    payload[i] = {parts[i].data(), parts[i].size()};
  }
  if (checksum(payload, seed_) != block.payload_checksum) corrupt(at, "the block's checksum is wrong");
  check_cells(cells, arena.size());

  batch.assign(std::move(cells), std::move(arena), std::move(lines));
  if (file.empty()) {
    source_file_.reset();
  } else if (source_file_ == nullptr || *source_file_ != file) {
    source_file_ = std::make_shared<const std::string>(std::move(file));
  }
  batch.set_file(source_file_);
  ++seen_.blocks;
  seen_.rows += block.rows;
  seen_.bytes += batch.bytes();
  seen_.blocks_checksum = chain(seen_.blocks_checksum, block.payload_checksum, seed_);
}

void SpoolReader::check_cells(const std::vector<Cell>& cells, std::size_t arena) const {
  const std::vector<Column>& columns = header_.schema.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool bytes = held_as_bytes(columns[i].type.kind);
    const bool uuid = columns[i].type.kind == TypeKind::uuid;
    for (std::size_t at = i; at < cells.size(); at += columns.size()) {
      const Cell& cell = cells[at];
      if (cell.null > 1) corrupt(offset_, "a value of the block before it is neither NULL nor not");
      if (!bytes || cell.null != 0) continue;
      if (cell.offset > arena || cell.length > arena - cell.offset) {
        corrupt(offset_, "a value of the block before it lies outside of the block");
      }
      if (uuid && cell.length != 16) corrupt(offset_, "a UUID of the block before it has not 16 bytes");
    }
  }
}

void SpoolReader::check_footer(const SpoolFooter& footer) {
  if (footer.blocks != seen_.blocks || footer.rows != seen_.rows || footer.bytes != seen_.bytes ||
      footer.blocks_checksum != seen_.blocks_checksum) {
    corrupt(offset_ - record_size, "the footer does not agree with the blocks before it");
  }
  if (offset_ != size_) corrupt(offset_, "there is something behind the footer");
  footer_ = footer;
}

}  // namespace xasink::txn::staged
