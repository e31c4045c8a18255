#include "tests/support/catch.hpp"
#include "tests/unit/sources/support.hpp"

using namespace xasink;
using namespace xasink::test;
using Rows = std::vector<std::string>;

namespace {

const auto schema = columns("id:int64! note:text");

std::string many_rows(int count) {
  std::string text = "id,note\n";
  for (int i = 0; i < count; ++i) text += std::to_string(i) + ",note " + std::to_string(i * 7919 % 1000) + "\n";
  return text;
}

}  // namespace

TEST_CASE("gzip files are known by their content and read the same as plain ones") {
  const TempFolder folder;
  const std::string content = many_rows(20'000);
  const Rows expected = Reader(csv({folder.write("plain.csv", content)}), schema).rest();
  REQUIRE(expected.size() == 20'000);
  CHECK(Reader(csv({folder.write("named-anyhow.csv", gzip(content))}), schema).rest() == expected);
  CHECK(Reader(csv({folder.path("named-anyhow.csv")}), schema, 100).rest() == expected);
}

TEST_CASE("members put one behind the other are one file, also when a record spans them") {
  const TempFolder folder;
  const std::string content = many_rows(1'000);
  const Rows expected = Reader(csv({folder.write("plain.csv", content)}), schema).rest();
  const std::string parts = gzip(content.substr(0, 3'333)) + gzip("") + gzip(content.substr(3'333));
  CHECK(Reader(csv({folder.write("f.csv.gz", parts)}), schema).rest() == expected);
}

TEST_CASE("a position in a gzip file is an offset of its content") {
  const TempFolder folder;
  const std::string path =
      folder.write("f.csv.gz", gzip(many_rows(5'000).substr(0, 30'000)) + gzip(many_rows(5'000).substr(30'000)));
  const Rows expected = Reader(csv({path}), schema).rest();
  Reader reader(csv({path}), schema, 256);
  Rows seen;
  for (const std::size_t rows : {1U, 700U, 2'000U, 100U}) {
    const auto some = reader.some(rows);
    seen.insert(seen.end(), some.begin(), some.end());
    const std::string position = reader.position();
    Reader other(csv({path}), schema);
    other.seek(position);
    Rows all = seen;
    const auto rest = other.rest();
    all.insert(all.end(), rest.begin(), rest.end());
    CHECK(all == expected);
    reader.seek(position);  // back in the same process decompresses again
  }
}

TEST_CASE("gzip data that is cut off, damaged or followed by something else is refused") {
  const TempFolder folder;
  const std::string good = gzip(many_rows(5'000));
  const auto error = [&](const std::string& bytes) {
    const std::string path = folder.write("f.csv.gz", bytes);
    return error_of([&] { static_cast<void>(Reader(csv({path}), schema).rest()); }, Category::io);
  };
  CHECK_THAT(error(good.substr(0, good.size() - 4)), contains("ends inside its compressed data"));
  CHECK_THAT(error(good.substr(0, good.size() / 2)), contains("ends inside its compressed data"));
  CHECK_THAT(error(good + "trailing"), contains("damaged gzip data"));
  std::string damaged = good;
  damaged[good.size() - 6] = static_cast<char>(damaged[good.size() - 6] ^ 1);
  CHECK_THAT(error(damaged), contains("damaged gzip data"));
}

TEST_CASE("other compressions and UTF-16 are refused by name") {
  const TempFolder folder;
  using std::string_literals::operator""s;
  const auto error = [&](const std::string& bytes) {
    const std::string path = folder.write("f.csv", bytes);
    return error_of([&] { Reader(csv({path}), schema); }, Category::configuration);
  };
  CHECK_THAT(error("\x28\xB5\x2F\xFD....."s), contains("compressed with zstd"));
  CHECK_THAT(error("\xFD\x37\x7A\x58\x5A\x00...."s), contains("compressed with xz"));
  CHECK_THAT(error("BZh91AY&SY...."s), contains("compressed with bzip2"));
  CHECK_THAT(error("PK\x03\x04......"s), contains("zip archive"));
  CHECK_THAT(error("\xFF\xFEi\0d\0"s), contains("UTF-16"));
}

TEST_CASE("a gzip file can't be followed") {
  const TempFolder folder;
  auto config = csv({folder.write("f.csv.gz", gzip(many_rows(1)))});
  config.follow = true;
  CHECK_THAT(error_of([&] { Reader(config, schema); }, Category::configuration), contains("can't be followed"));
}
