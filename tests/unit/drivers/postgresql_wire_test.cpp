#include "drivers/postgresql/wire.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::postgresql;

namespace {

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::string numeric(const std::string& text) {
  std::string room(numeric_bound(text.size()), '\0');
  const char* end = store_numeric(room.data(), text);
  REQUIRE(end <= room.data() + room.size());
  return hex({room.data(), static_cast<std::size_t>(end - room.data())});
}

}  // namespace

TEST_CASE("integers are stored in network order") {
  char room[8];
  CHECK(store(room, std::int16_t{-2}) == room + 2);
  CHECK(hex({room, 2}) == "fffe");
  store(room, std::int32_t{0x01020304});
  CHECK(hex({room, 4}) == "01020304");
  store(room, std::int64_t{-1});
  CHECK(hex({room, 8}) == "ffffffffffffffff");
  store(room, std::uint64_t{0x0102030405060708});
  CHECK(hex({room, 8}) == "0102030405060708");
}

// Expected bytes are what numeric_send of PostgreSQL 15 gives: number of groups, weight, sign, scale, groups.
TEST_CASE("numerics have the bytes PostgreSQL itself sends") {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0000000000000000"},
      {"0.00", "0000000000000002"},
      {"1", "00010000000000000001"},
      {"-1", "00010000400000000001"},
      {"0.0001", "0001ffff000000040001"},
      {"0.00000001", "0001fffe000000080001"},
      {"-0.5", "0001ffff400000011388"},
      {"9999", "0001000000000000270f"},
      {"10000", "00010001000000000001"},
      {"10001", "000200010000000000010001"},
      {"9999.9999", "0002000000000004270f270f"},
      {"1234567.89", "0003000100000002007b11d722c4"},
      {"100000000", "00010002000000000001"},
      {"1.50", "000200000000000200011388"},
      {"10000.0000", "00010001000000040001"},
      {"12345678901234567890",
       "0005000400000000"
       "04d2"
       "162e"
       "2334"
       "0d80"
       "1ed2"},
  };
  for (const auto& [text, bytes] : cases) {
    INFO(text);
    CHECK(numeric(text) == bytes);
  }
}

TEST_CASE("the longest numeric has a weight of 32767 and as many groups") {
  const std::string nines(kNumericInteger, '9');
  std::string room(numeric_bound(nines.size()), '\0');
  const char* end = store_numeric(room.data(), nines);
  CHECK(end - room.data() == 8 + 2 * 32768);
  CHECK(hex({room.data(), 10}) == "80007fff00000000270f");
}

TEST_CASE("the shape of a numeric counts digits on both sides of the point") {
  const auto shape = numeric_shape("-12.3400");
  CHECK(shape.significant_integer == 2);
  CHECK(shape.fraction == 4);
  CHECK(shape.significant_fraction == 2);
  CHECK(numeric_shape("7.000").significant_fraction == 0);
  CHECK(numeric_shape("123").significant_integer == 3);
  CHECK(numeric_shape("123").fraction == 0);
  CHECK(numeric_shape("-0.5").significant_integer == 0);
}
