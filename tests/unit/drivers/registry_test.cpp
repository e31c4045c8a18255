#include "tests/support/catch.hpp"
#include "xasink/drivers.hpp"
#include "xasink/error.hpp"

using namespace xasink;
using xasink::test::contains;

TEST_CASE("both spellings of the scheme lead to the PostgreSQL driver") {
  CHECK(default_drivers().for_url("postgresql://db/shop").name() == "postgresql");
  CHECK(default_drivers().for_url("postgres://db/shop").name() == "postgresql");
}

TEST_CASE("an unknown scheme is refused with its name and the known ones, and nothing else of the URL") {
  try {
    static_cast<void>(default_drivers().for_url("oracle://scott:tiger@db/shop"));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.category() == Category::configuration);
    CHECK_THAT(error.what(), contains("oracle"));
    CHECK_THAT(error.details().hint, contains("postgresql"));
    CHECK_THAT(std::string(error.what()) + error.details().hint, !contains("tiger"));
  }
}
