#include <string>

#include "tests/support/catch.hpp"
#include "xasink/committable.hpp"
#include "xasink/error.hpp"

using xasink::Committable;
using xasink::Protocol;
using xasink::Xid;

namespace {

Committable sample() {
  return {Protocol::staged, "sqlite:///data/shop.db", "orders", Xid{"orders", "0a1b2c3d4e", 3, 1, 42, 0}, 1000, 65536,
          "/data/spool/x.prepared"};
}

std::string hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

xasink::Category category_of(const std::string& bytes) {
  try {
    static_cast<void>(Committable::deserialize(bytes));
  } catch (const xasink::Error& error) {
    return error.category();
  }
  FAIL("the bytes were taken");
  return xasink::Category::internal;
}

}  // namespace

TEST_CASE("the bytes of a committable are those that were released") {
  CHECK(hex(sample().serialize()) ==
        "5853434d" "0100" "02"
        "16000000" "73716c6974653a2f2f2f646174612f73686f702e6462"
        "06000000" "6f7264657273"
        "2b000000" "786173696e6b312e6f72646572732e306131623263336434652e332f312e34322e302e6238643939643138"
        "16000000" "2f646174612f73706f6f6c2f782e7072657061726564"
        "e803000000000000" "0000010000000000"
        "d28607b6d9d6e70b");
}

TEST_CASE("a committable reads back as it was written") {
  CHECK(Committable::deserialize(sample().serialize()) == sample());
  Committable prepared = sample();
  prepared.protocol = Protocol::prepared;
  prepared.spool.clear();
  CHECK(Committable::deserialize(prepared.serialize()) == prepared);
}

TEST_CASE("every cut and every changed byte of a committable is damage, never another committable") {
  const std::string bytes = sample().serialize();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK(category_of(bytes.substr(0, size)) == xasink::Category::corrupt);
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    CHECK(category_of(changed) == xasink::Category::corrupt);
  }
  CHECK(category_of(bytes + '\0') == xasink::Category::corrupt);
}

TEST_CASE("a committable of a later version is refused by name") {
  std::string later = sample().serialize();
  later[4] = 2;
  CHECK_THROWS_WITH(Committable::deserialize(later), xasink::test::contains("version 2 is not known"));
}
