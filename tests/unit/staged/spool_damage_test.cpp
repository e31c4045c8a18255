// Whatever happens to a spool file's bytes, reading it ends in an Error (corrupt): never in other rows, never in a
// crash.
#include "tests/support/catch.hpp"
#include "tests/unit/staged/spool_fixture.hpp"
#include "xasink/error.hpp"

using namespace xasink;
using namespace xasink::txn::staged;
using xasink::test::contains;
using xasink::test::SpoolFixture;

namespace {

struct DamageFixture : SpoolFixture {
  std::filesystem::path damaged = temp.path() / "damaged";

  /// Empty if reading the bytes is an Error (corrupt) that names the file; else what happened.
  std::string not_refused(const std::string& bytes) {
    test::write_file(damaged, bytes);
    try {
      static_cast<void>(read_all(damaged));
      return "the file was taken for whole";
    } catch (const Error& error) {
      if (error.category() != Category::corrupt) return std::string("another error: ") + error.what();
      const std::string what = error.what();
      if (what.find(damaged.string()) == std::string::npos || what.find("at byte ") == std::string::npos) return what;
      return {};
    }
  }
};

/// One block as a file has it, sealed rightly whatever it says.
std::string forge(const std::vector<Cell>& cells, const std::string& arena, std::uint32_t rows, std::uint64_t seed) {
  std::string payload(reinterpret_cast<const char*>(cells.data()), cells.size() * sizeof(Cell));
  payload.append(rows * sizeof(std::uint64_t), '\0');
  payload += arena;
  BlockHeader block;
  block.rows = rows;
  block.arena = arena.size();
  block.payload_checksum = checksum(payload, seed);
  SpoolFooter footer;
  footer.blocks = 1;
  footer.rows = rows;
  footer.bytes = cells.size() * sizeof(Cell) + arena.size();
  footer.blocks_checksum = chain(0, block.payload_checksum, seed);
  return encode(block, seed) + payload + encode(footer, seed);
}

std::uint64_t seed_of(const std::string& header) {
  std::uint64_t seed = 0;
  for (std::size_t i = 8; i > 0; --i) {
    seed = seed << 8 | static_cast<unsigned char>(header[header.size() - 9 + i]);
  }
  return seed;
}

Cell number_cell(std::int64_t value) {
  Cell cell{};
  cell.i = value;
  return cell;
}

Cell bytes_cell(std::uint64_t offset, std::uint32_t length) {
  Cell cell{};
  cell.offset = offset;
  cell.length = length;
  return cell;
}

}  // namespace

TEST_CASE_METHOD(DamageFixture, "a change of any byte is found") {
  const std::string whole = test::read_file(make());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ static_cast<unsigned char>(flip));
      const std::string wrong = not_refused(bytes);
      if (!wrong.empty()) FAIL("byte " << at << " xor " << flip << ": " << wrong);
    }
  }
  SUCCEED("bytes changed: " << whole.size());
}

TEST_CASE_METHOD(DamageFixture, "a cut at any length is found, and so is anything behind the end") {
  const std::string whole = test::read_file(make());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string wrong = not_refused(whole.substr(0, size));
    if (!wrong.empty()) FAIL("cut to " << size << ": " << wrong);
  }
  CHECK(not_refused(whole + '\0').empty());
  CHECK(not_refused(whole + whole).empty());
}

TEST_CASE_METHOD(DamageFixture, "any eight bytes set to all ones, or taken out, are found") {
  const std::string whole = test::read_file(make());
  for (std::size_t at = 0; at + 8 <= whole.size(); ++at) {
    std::string bytes = whole;
    if (bytes.compare(at, 8, std::string(8, '\xff')) == 0) continue;
    bytes.replace(at, 8, 8, '\xff');
    std::string wrong = not_refused(bytes);
    if (!wrong.empty()) FAIL("ones at " << at << ": " << wrong);
    bytes = whole;
    bytes.erase(at, 8);
    wrong = not_refused(bytes);
    if (!wrong.empty()) FAIL("taken out at " << at << ": " << wrong);
  }
}

TEST_CASE_METHOD(DamageFixture, "a version of the future is refused by its number") {
  std::string bytes = test::read_file(make());
  bytes[spool_magic.size()] = 9;
  test::write_file(damaged, bytes);
  CHECK_THROWS_WITH(read_all(damaged), contains("version 9 is not known"));
}

TEST_CASE_METHOD(DamageFixture, "blocks of another file, twice the same block or blocks in another order are found") {
  const std::string one = test::read_file(make());
  std::filesystem::path other_path;
  {
    SpoolWriter writer(folder, header(test::spool_xid(8)));
    writer.append(test::spool_batch(schema, 1, 4, "a.csv"));
    writer.append(test::spool_batch(schema, 5, 2, "b.csv"));
    other_path = writer.finish();
  }
  const std::string other = test::read_file(other_path);
  const std::size_t header_size = encode(header()).size();
  REQUIRE(encode(header(test::spool_xid(8))).size() == header_size);
  REQUIRE(other.size() == one.size());
  // The same rows under another header: only the seed of the checksums tells them apart.
  CHECK(not_refused(one.substr(0, header_size) + other.substr(header_size)).empty());

  const std::size_t first =
      record_size + 4 * (4 * sizeof(Cell) + 8) + test::spool_batch(schema, 1, 4, "a.csv").arena().size() + 5;
  const std::string block = one.substr(header_size, first);
  const std::string rest = one.substr(header_size + first);
  CHECK(not_refused(one.substr(0, header_size) + block + block + rest).empty());
  CHECK(not_refused(one.substr(0, header_size) + rest.substr(0, rest.size() - record_size) + block +
                    rest.substr(rest.size() - record_size))
            .empty());
  CHECK(not_refused(one.substr(0, header_size) + rest).empty());
}

TEST_CASE_METHOD(DamageFixture, "values outside of their block are found even where every checksum is right") {
  const std::string head = encode(header());
  const std::uint64_t seed = seed_of(head);
  const std::string arena = "abc12.000123456789abcdef";
  const std::vector<Cell> good = {number_cell(1), bytes_cell(0, 3), bytes_cell(3, 5), bytes_cell(8, 16)};
  test::write_file(damaged, head + forge(good, arena, 1, seed));
  REQUIRE(read_all(damaged) == std::vector<std::string>{":0|1|abc|12.00|0123456789abcdef"});

  const auto with = [&](std::size_t column, const Cell& cell) {
    std::vector<Cell> cells = good;
    cells[column] = cell;
    return head + forge(cells, arena, 1, seed);
  };
  CHECK(not_refused(with(1, bytes_cell(arena.size() + 1, 0))).empty());
  CHECK(not_refused(with(1, bytes_cell(arena.size(), 1))).empty());
  CHECK(not_refused(with(1, bytes_cell(0, 0xffffffff))).empty());
  CHECK(not_refused(with(1, bytes_cell(0xffffffffffffffff, 2))).empty());
  CHECK(not_refused(with(3, bytes_cell(8, 15))).empty());
  Cell neither = bytes_cell(0, 3);
  neither.null = 2;
  CHECK(not_refused(with(1, neither)).empty());
}

TEST_CASE_METHOD(DamageFixture, "sizes that the file can't have are refused before memory is taken for them") {
  const std::string head = encode(header());
  const std::uint64_t seed = seed_of(head);
  BlockHeader block;
  block.rows = 0xffffffff;
  block.arena = 0xffffffffffffff00;
  block.file = 0xffffffff;
  CHECK(not_refused(head + encode(block, seed) + std::string(1000, 'x')).empty());
  block.rows = 1;
  CHECK(not_refused(head + encode(block, seed) + std::string(1000, 'x')).empty());
}
