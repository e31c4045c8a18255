#include "tests/support/catch.hpp"
#include "xasink/xid.hpp"

using xasink::Xid;

namespace {
Xid sample() { return Xid{"orders", "0a1b2c3d4e", 3, 1, 42, 0}; }
}  // namespace

TEST_CASE("a branch's name follows the grammar, byte for byte") {
  CHECK(sample().gtrid() == "xasink1.orders.0a1b2c3d4e.3");
  CHECK(sample().bqual() == "1.42.0.b8d99d18");
  CHECK(sample().gid() == "xasink1.orders.0a1b2c3d4e.3/1.42.0.b8d99d18");
}

TEST_CASE("a name reads back as what it was made of") {
  const Xid largest{"a-job_of-24-characters-x", "zzzzzzzzzz", 9223372036854775807ULL, 2147483647U, 9223372036854775807ULL,
                    2147483647U};
  for (const Xid& xid : {sample(), largest, Xid{"j", "0000000000", 1, 0, 1, 0}}) {
    CHECK(xid.gtrid().size() <= 64);
    CHECK(xid.bqual().size() <= 64);
    CHECK(xid.gid().size() < 200);
    REQUIRE(Xid::parse_gid(xid.gid()));
    CHECK(*Xid::parse_gid(xid.gid()) == xid);
    REQUIRE(Xid::parse(xid.gtrid(), xid.bqual()));
    CHECK(*Xid::parse(xid.gtrid(), xid.bqual()) == xid);
  }
}

TEST_CASE("every cut of a name and every changed byte is refused") {
  const std::string gid = sample().gid();
  for (std::size_t size = 0; size < gid.size(); ++size) CHECK_FALSE(Xid::parse_gid(gid.substr(0, size)));
  for (std::size_t at = 0; at < gid.size(); ++at) {
    for (const char byte : {'0', '1', '9', 'a', 'z', '.', '/', ' ', '\0', '-'}) {
      if (gid[at] == byte) continue;
      std::string changed = gid;
      changed[at] = byte;
      INFO(changed);
      CHECK_FALSE(Xid::parse_gid(changed));
    }
  }
  CHECK_FALSE(Xid::parse_gid(gid + "0"));
  CHECK_FALSE(Xid::parse_gid(" " + gid));
}

TEST_CASE("names of others are not ours") {
  for (const char* other : {"", "/", "xasink1", "xasink2.orders.0a1b2c3d4e.3/1.42.0.b8d99d18", "citus_0_1234_5_0",
                            "xasink1.Orders.0a1b2c3d4e.3/1.42.0.b8d99d18", "xasink1.orders.short.3/1.42.0.b8d99d18",
                            "xasink1.orders.0a1b2c3d4e.03/1.42.0.b8d99d18", "xasink1.orders.0a1b2c3d4e.0/1.42.0.b8d99d18"}) {
    INFO(other);
    CHECK_FALSE(Xid::parse_gid(other));
  }
}

TEST_CASE("owner tags are valid and differ") {
  const std::string one = xasink::make_owner();
  CHECK(xasink::valid_owner(one));
  CHECK(one != xasink::make_owner());
}

TEST_CASE("job names are 1 to 24 of a-z, 0-9, _ and -") {
  for (const char* name : {"a", "orders", "a-b_c-9", "aaaaaaaaaaaaaaaaaaaaaaaa"}) CHECK(xasink::valid_job_name(name));
  for (const char* name : {"", "A", "a b", "a.b", "a/b", "\xc3\xa9", "aaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    CHECK_FALSE(xasink::valid_job_name(name));
  }
}
