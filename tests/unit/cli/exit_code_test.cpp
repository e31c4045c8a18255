#include "src/cli/exit_code.hpp"

#include <array>

#include "tests/support/catch.hpp"

using namespace xasink;

TEST_CASE("every category has its exit code and its name") {
  struct Row {
    Category category;
    int code;
    const char* name;
  };
  constexpr std::array<Row, 14> kTable{{
      {Category::usage, 2, "usage"},
      {Category::configuration, 2, "configuration"},
      {Category::preflight, 3, "preflight"},
      {Category::fenced, 3, "fenced"},
      {Category::data, 4, "data"},
      {Category::connection, 1, "connection"},
      {Category::contention, 1, "contention"},
      {Category::resources, 1, "resources"},
      {Category::server, 1, "server"},
      {Category::io, 1, "io"},
      {Category::internal, 1, "internal"},
      {Category::in_doubt, 5, "in_doubt"},
      {Category::lost, 5, "lost"},
      {Category::corrupt, 5, "corrupt"},
  }};
  for (const Row& row : kTable) {
    CAPTURE(row.name);
    CHECK(static_cast<int>(cli::exit_code(row.category)) == row.code);
    CHECK(cli::category_name(row.category) == row.name);
  }
}
