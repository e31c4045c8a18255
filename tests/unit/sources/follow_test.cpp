#include <filesystem>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/unit/sources/support.hpp"

using namespace xasink;
using namespace xasink::test;
using namespace std::chrono_literals;
using sources::ReadResult;
using Rows = std::vector<std::string>;

namespace {

const auto schema = columns("id:int64! note:text");

config::FileSourceConfig followed(const TempFolder& folder) {
  auto config = csv({folder.path("*.csv")});
  config.follow = true;
  return config;
}

/// Rows of reads up to `count` of them; fails the test after ten seconds.
Rows wait_for(Reader& reader, std::size_t count) {
  Rows rows;
  const auto limit = in(10s);
  while (rows.size() < count && std::chrono::steady_clock::now() < limit) {
    const auto some = reader.some(100, 200ms);
    rows.insert(rows.end(), some.begin(), some.end());
  }
  REQUIRE(rows.size() == count);
  return rows;
}

}  // namespace

TEST_CASE("at the end of a followed file it waits until the deadline and says idle") {
  const TempFolder folder;
  folder.write("a.csv", "id,note\n1,a\n");
  Reader reader(followed(folder), schema);
  CHECK(reader.source().unbounded());
  CHECK(reader.some(10, 10s) == Rows{"1|a"});  // at once: waiting for more would only delay it
  const auto start = std::chrono::steady_clock::now();
  CHECK(reader.some(10, 60ms).empty());
  CHECK(reader.last_result() == ReadResult::idle);
  const auto waited = std::chrono::steady_clock::now() - start;
  CHECK(waited >= 60ms);
  CHECK(waited < 5s);
}

TEST_CASE("rows added while it waits are read, a line only once its end is there") {
  const TempFolder folder;
  folder.write("a.csv", "id,note\n1,a\n2,b");
  Reader reader(followed(folder), schema);
  CHECK(reader.rest() == Rows{"1|a"});
  folder.append("a.csv", "b");
  CHECK(reader.rest().empty());
  folder.append("a.csv", "\r");
  CHECK(reader.rest().empty());  // a line feed may still belong to it
  std::thread writer([&] {
    std::this_thread::sleep_for(50ms);
    folder.append("a.csv", "\n3,c\n");
  });
  const Rows rows = wait_for(reader, 2);
  writer.join();
  CHECK(rows == Rows{"2|bb", "3|c"});
}

TEST_CASE("a record over several lines is read once all of it is there, also across reads and positions") {
  for (const std::size_t buffer : {16U, 4096U}) {
    const TempFolder folder;
    folder.write("a.csv", "id,note\n1,a\n2,\"begun\n");
    Reader reader(followed(folder), schema, buffer);
    CHECK(reader.rest() == Rows{"1|a"});
    const std::string position = reader.position();
    folder.append("a.csv", "further on\n");
    CHECK(reader.rest().empty());
    CHECK(reader.position() == position);
    folder.append("a.csv", "and ended\"\n");
    CHECK(wait_for(reader, 1) == Rows{"2|begun\nfurther on\nand ended"});
    reader.seek(position);
    CHECK(wait_for(reader, 1) == Rows{"2|begun\nfurther on\nand ended"});
    CHECK(reader.batch().lines() == std::vector<std::uint64_t>{3});
  }
}

TEST_CASE("a header that comes later is waited for") {
  const TempFolder folder;
  folder.write("a.csv", "id,no");
  Reader reader(followed(folder), schema);
  CHECK(reader.rest().empty());
  folder.append("a.csv", "te\n1,a\n");
  CHECK(wait_for(reader, 1) == Rows{"1|a"});
}

TEST_CASE("it waits for the first file and goes on with files that sort behind") {
  const TempFolder folder;
  Reader reader(followed(folder), schema);
  CHECK(reader.rest().empty());
  CHECK(reader.last_result() == ReadResult::idle);
  const std::string nothing_read = reader.position();
  folder.write("a.csv", "id,note\n1,a\n");
  CHECK(wait_for(reader, 1) == Rows{"1|a"});
  folder.append("a.csv", "2,b\n");
  folder.write("b.csv", "id,note\n3,c\n");
  CHECK(wait_for(reader, 2) == Rows{"2|b", "3|c"});

  Reader other(followed(folder), schema);
  other.seek(nothing_read);
  CHECK(wait_for(other, 3) == Rows{"1|a", "2|b", "3|c"});
  other.seek(reader.position());
  CHECK(other.rest().empty());
}

TEST_CASE("a new file that sorts before the one being read is an error, not a loss") {
  const TempFolder folder;
  folder.write("b.csv", "id,note\n1,a\n");
  Reader reader(followed(folder), schema);
  CHECK(reader.rest() == Rows{"1|a"});
  folder.write("a.csv", "id,note\n0,z\n");
  CHECK_THAT(error_of([&] { static_cast<void>(reader.some(10, 5s)); }, Category::preflight), contains("a.csv is new"));
}

TEST_CASE("a finished file that grows after the next one was begun is an error, not a loss") {
  const TempFolder folder;
  folder.write("a.csv", "id,note\n1,a\n");
  folder.write("b.csv", "id,note\n2,b\n");
  Reader reader(followed(folder), schema);
  CHECK(reader.rest() == Rows{"1|a", "2|b"});
  folder.append("a.csv", "3,c\n");
  CHECK_THAT(error_of([&] { static_cast<void>(reader.some(10, 5s)); }, Category::preflight),
             contains("a.csv has grown"));
}

TEST_CASE("a file that ends inside a record while a later one exists is an error that may pass") {
  const TempFolder folder;
  folder.write("a.csv", "id,note\n1,a\n2,b");
  folder.write("b.csv", "id,note\n3,c\n");
  Reader reader(followed(folder), schema);
  CHECK(reader.some(10) == Rows{"1|a"});
  const std::string position = reader.position();
  try {
    static_cast<void>(reader.some(10));
    FAIL("half a line was taken or left out");
  } catch (const Error& error) {
    CHECK(error.category() == Category::io);
    CHECK(error.retryable());
    CHECK_THAT(error.what(), contains("a.csv:3: the file ends inside a record"));
  }
  folder.append("a.csv", "\n");
  reader.seek(position);
  CHECK(wait_for(reader, 2) == Rows{"2|b", "3|c"});
}

TEST_CASE("a followed file that is cut short, replaced, removed or overwritten is an error") {
  const TempFolder folder;
  folder.write("a.csv", "id,note\n1,a\n2,b\n");
  Reader reader(followed(folder), schema);
  CHECK(reader.rest().size() == 2);
  const auto error = [&] { return error_of([&] { static_cast<void>(reader.some(10, 5s)); }, Category::io); };

  SECTION("cut short") {
    folder.write("a.csv", "id,note\n");
    CHECK_THAT(error(), contains("was cut short"));
  }
  SECTION("replaced") {
    folder.write("new", "id,note\n1,a\n2,b\n3,c\n");
    std::filesystem::rename(folder.path("new"), folder.path("a.csv"));
    CHECK_THAT(error(), contains("was replaced"));
  }
  SECTION("removed") {
    std::filesystem::remove(folder.path("a.csv"));
    CHECK_THAT(error(), contains("is gone"));
  }
  SECTION("overwritten with more") {
    std::thread writer([&] {
      std::this_thread::sleep_for(50ms);
      folder.write("a.csv", "id,note\n7,g\n8,h\n9,i\n");
    });
    const std::string text = error();
    writer.join();
    // Between emptying and writing it may have been seen short.
    CHECK_THAT(text, contains("was overwritten") || contains("was cut short"));
  }
}

TEST_CASE("JSON lines are followed in the same way") {
  const TempFolder folder;
  auto config = jsonl({folder.write("a.jsonl", "{\"id\":1}\n{\"id\":")});
  config.follow = true;
  Reader reader(config, schema, 16);
  CHECK(reader.rest() == Rows{"1|NULL"});
  folder.append("a.jsonl", "2,\"note\":\"longer than the buffer is\"}");
  CHECK(reader.rest().empty());
  folder.append("a.jsonl", "\n");
  CHECK(wait_for(reader, 1) == Rows{"2|longer than the buffer is"});
}
