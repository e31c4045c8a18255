#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/catch.hpp"
#include "tests/unit/sources/support.hpp"

using namespace xasink;
using namespace xasink::test;
using Rows = std::vector<std::string>;

namespace {

const auto schema = columns("id:int64! note:text");

/// A value as the format writes it, with everything that is hard about it.
std::string random_note(std::mt19937& random, bool json) {
  static const char* const notes[] = {"plain",        "",   "comma, here", "\"q\"", "two\nlines",
                                      "crlf\r\nhere", "é😀", " x ",         "\r"};
  const std::string note = notes[random() % std::size(notes)];
  std::string quoted = "\"";
  for (const char c : note) {
    if (json && c == '\n')
      quoted += "\\n";
    else if (json && c == '\r')
      quoted += "\\r";
    else if (c == '"')
      quoted += json ? "\\\"" : "\"\"";
    else
      quoted += c;
  }
  quoted += '"';
  if (random() % 8 == 0) return json ? "null" : "";
  const bool plain = note.find_first_of(",\"\r\n") == std::string::npos && !note.empty();
  return !json && plain && random() % 2 == 0 ? note : quoted;
}

std::string random_file(std::mt19937& random, bool json, int first_id, int rows) {
  const bool swapped = random() % 2 == 0;
  const auto end = [&] { return std::string(json || random() % 2 == 0 ? "\n" : random() % 2 == 0 ? "\r\n" : "\r"); };
  std::string text = random() % 4 == 0 ? "\xEF\xBB\xBF" : "";
  if (!json) text += (swapped ? "note,id" : "id,note") + end();
  for (int i = 0; i < rows; ++i) {
    const std::string id = std::to_string(first_id + i);
    const std::string note = random_note(random, json);
    if (json) {
      text += swapped ? "{\"note\":" + note + ",\"id\":" + id + "}" : "{\"id\": " + id + ", \"note\": " + note + "}";
    } else {
      text += swapped ? note + ',' + id : id + ',' + note;
    }
    if (i + 1 < rows || random() % 2 == 0) text += end();
    if (i + 1 < rows && random() % 10 == 0) text += end();
  }
  return text;
}

}  // namespace

TEST_CASE("from the position at any batch's end a new source gives the same rest, for any batch and buffer size") {
  std::mt19937 random(20240501);
  for (int round = 0; round < 40; ++round) {
    const bool json = round % 2 == 1;
    const TempFolder folder;
    int id = 0;
    const auto files = 1 + random() % 3;
    for (std::size_t f = 0; f < files; ++f) {
      const int rows = static_cast<int>(random() % 30);
      const std::string content = random_file(random, json, id, rows);
      folder.write("f" + std::to_string(f), random() % 4 == 0 ? gzip(content) : content);
      id += rows;
    }
    const auto config = json ? jsonl({folder.path("f*")}) : csv({folder.path("f*")});
    const Rows expected = Reader(config, schema).rest();
    REQUIRE(expected.size() == static_cast<std::size_t>(id));

    const std::size_t buffer = 16 + random() % 64;
    Reader reader(config, schema, buffer);
    std::size_t seen = 0;
    for (;;) {
      const std::string position = reader.position();
      INFO("round " << round << ", buffer " << buffer << ", at row " << seen << ": " << position);
      Reader other(config, schema, 16 + random() % 64);
      other.seek(position);
      CHECK(other.position() == position);
      CHECK(other.rest(1 + random() % 8) == Rows(expected.begin() + static_cast<std::ptrdiff_t>(seen), expected.end()));
      if (random() % 3 == 0) reader.seek(position);
      const Rows some = reader.some(1 + random() % 5);
      if (some.empty()) break;
      REQUIRE(seen + some.size() <= expected.size());
      CHECK(some == Rows(expected.begin() + static_cast<std::ptrdiff_t>(seen),
                         expected.begin() + static_cast<std::ptrdiff_t>(seen + some.size())));
      seen += some.size();
    }
    CHECK(seen == expected.size());
    CHECK(reader.last_result() == sources::ReadResult::end);
  }
}

TEST_CASE("lines are counted on from a position") {
  const TempFolder folder;
  Reader reader(csv({folder.write("f.csv", "id,note\n1,\"a\nb\"\n\n2,c\n3,d\n")}), schema);
  REQUIRE(reader.some(1).size() == 1);
  Reader other(csv({folder.path("f.csv")}), schema);
  other.seek(reader.position());
  REQUIRE(other.some(5).size() == 2);
  CHECK(other.batch().lines() == std::vector<std::uint64_t>{5, 6});
}

TEST_CASE("a position is one line of JSON that names the file, and stays small with very many files") {
  const TempFolder folder;
  for (int i = 1000; i < 1300; ++i) folder.write("orders-" + std::to_string(i), "id,note\n1,\"a\nb\"\n");
  Reader reader(csv({folder.path("orders-*")}), schema);
  std::size_t longest = 0;
  std::string position;
  while (!reader.some(1).empty()) {
    position = reader.position();
    longest = std::max(longest, position.size());
  }
  const auto json = nlohmann::json::parse(position);
  CHECK(json.at("file") == folder.path("orders-1299"));
  CHECK(json.at("offset") == 16);
  CHECK(json.at("line") == 4);
  CHECK(longest < 4096);
  CHECK(position.find('\n') == std::string::npos);
  Reader other(csv({folder.path("orders-*")}), schema);
  CHECK_NOTHROW(other.seek(position));
  folder.write("orders-1003", "id,note\n1,\"a\nb\"\n2,\n");
  CHECK_THAT(error_of([&] { other.seek(position); }, Category::preflight), contains("has another size now"));
}

TEST_CASE("going to a position finds every change to what was read") {
  const TempFolder folder;
  const std::string first = "id,note\n1,a\n2,b\n";
  const std::string second = "id,note\n3,c\n4,d\n5,e\n";
  folder.write("b.csv", first);
  folder.write("d.csv", second);
  const auto config = csv({folder.path("*.csv")});
  std::string position;
  {
    Reader reader(config, schema);
    REQUIRE(reader.some(2) == Rows{"1|a", "2|b"});
    REQUIRE(reader.some(2) == Rows{"3|c", "4|d"});
    position = reader.position();
  }
  const auto rest = [&] {
    Reader reader(config, schema);
    reader.seek(position);
    return reader.rest();
  };
  const auto error = [&] { return error_of([&] { static_cast<void>(rest()); }, Category::preflight); };

  SECTION("nothing changed") { CHECK(rest() == Rows{"5|e"}); }
  SECTION("a file whose name sorts behind is fine") {
    folder.write("e.csv", "id,note\n6,f\n");
    CHECK(rest() == Rows{"5|e", "6|f"});
  }
  SECTION("rows added behind the position are read") {
    folder.append("d.csv", "6,f\n");
    CHECK(rest() == Rows{"5|e", "6|f"});
  }
  SECTION("rows changed behind the position are read as they are now") {
    folder.write("d.csv", "id,note\n3,c\n4,d\n7,g\n");
    CHECK(rest() == Rows{"7|g"});
  }
  SECTION("a new file that sorts first") {
    folder.write("a.csv", "id,note\n0,x\n");
    CHECK_THAT(error(), contains("a.csv is new"));
  }
  SECTION("a new file that sorts between") {
    folder.write("c.csv", "id,note\n0,x\n");
    CHECK_THAT(error(), contains("c.csv is new"));
  }
  SECTION("a finished file is missing") {
    std::filesystem::remove(folder.path("b.csv"));
    CHECK_THAT(error(), contains("b.csv was read before and is missing"));
  }
  SECTION("a finished file has grown") {
    folder.append("b.csv", "9,z\n");
    CHECK_THAT(error(), contains("b.csv has grown"));
  }
  SECTION("a finished file has shrunk") {
    folder.write("b.csv", "id,note\n1,a\n");
    CHECK_THAT(error(), contains("b.csv has shrunk"));
  }
  SECTION("the current file is missing") {
    std::filesystem::remove(folder.path("d.csv"));
    CHECK_THAT(error(), contains("d.csv was read in part before and is missing"));
  }
  SECTION("the current file has shrunk") {
    folder.write("d.csv", "id,note\n3,c\n");
    CHECK_THAT(error(), contains("d.csv has shrunk"));
  }
  SECTION("the current file was changed before the position") {
    folder.write("d.csv", "id,note\n3,C\n4,d\n5,e\n");
    CHECK_THAT(error(), contains("d.csv was changed"));
  }
}

TEST_CASE("a change far inside a large file is found at its start and before the position") {
  const TempFolder folder;
  std::string content = "id,note\n";
  for (int i = 0; i < 30'000; ++i) content += std::to_string(i) + ",some text\n";
  folder.write("f.csv", content);
  Reader reader(csv({folder.path("f.csv")}), schema);
  REQUIRE(reader.some(25'000, std::chrono::milliseconds(5'000)).size() == 25'000);
  const std::string position = reader.position();
  const auto offset = nlohmann::json::parse(position).at("offset").get<std::size_t>();
  REQUIRE(offset > 200'000);
  for (const std::size_t at : {offset - 3, offset - 60'000, std::size_t{5'000}}) {
    std::string changed = content;
    changed[at] = changed[at] == '#' ? '%' : '#';
    folder.write("f.csv", changed);
    Reader other(csv({folder.path("f.csv")}), schema);
    CHECK_THAT(error_of([&] { other.seek(position); }, Category::preflight), contains("was changed"));
  }
}

TEST_CASE("a last line without end that is continued later is an error, not a row") {
  const TempFolder folder;
  Reader reader(csv({folder.write("f.csv", "id,note\n1,ab")}), schema);
  CHECK(reader.some(10) == Rows{"1|ab"});
  const std::string position = reader.position();
  folder.append("f.csv", "cd\n2,x\n");
  Reader other(csv({folder.path("f.csv")}), schema);
  CHECK_THAT(error_of([&] { other.seek(position); }, Category::preflight), contains("was continued"));
}

TEST_CASE("a file that grows while it is read to its end is an error without follow") {
  const TempFolder folder;
  Reader reader(csv({folder.write("f.csv", "id,note\n1,ab")}), schema);
  REQUIRE(reader.some(10) == Rows{"1|ab"});
  folder.append("f.csv", "cd\n2,x\n");
  CHECK_THAT(error_of([&] { static_cast<void>(reader.some(10)); }, Category::io),
             contains("f.csv changed while it was read"));
}

TEST_CASE("a file that is cut short while it is read is an error") {
  const TempFolder folder;
  std::string content = "id,note\n";
  for (int i = 0; i < 100; ++i) content += std::to_string(i) + ",some text\n";
  Reader reader(csv({folder.write("f.csv", content)}), schema, 64);
  REQUIRE(reader.some(50).size() == 50);
  folder.write("f.csv", "id,note\n1,x\n");
  CHECK_THAT(error_of([&] { static_cast<void>(reader.rest()); }, Category::io), contains("was cut short"));
}

TEST_CASE("text that is no position of this source is refused as corrupt") {
  const TempFolder folder;
  Reader reader(csv({folder.write("f.csv", "id,note\n1,a\n")}), schema);
  for (const char* text :
       {"", "{}", "[]", "nonsense", R"({"source":"generator","version":1,"seed":1,"row":5})",
        R"({"source":"files","version":2,"finished":[]})", R"({"source":"files","version":1})",
        R"({"source":"files","version":1,"finished":[],"file":"f.csv"})",
        R"({"source":"files","version":1,"finished":[],"file":"f.csv","offset":-1,"line":1,"read":{}})"}) {
    INFO(text);
    CHECK_THAT(error_of([&] { reader.seek(text); }, Category::corrupt), contains("position"));
  }
}

TEST_CASE("progress counts bytes up to all bytes") {
  const TempFolder folder;
  folder.write("1.csv", "id,note\n1,a\n");
  folder.write("2.csv", "id,note\n2,b\n");
  Reader reader(csv({folder.path("*.csv")}), schema);
  CHECK_FALSE(reader.source().unbounded());
  CHECK(reader.source().progress()->done == 0);
  CHECK(reader.source().progress()->total == 24);
  static_cast<void>(reader.rest());
  CHECK(reader.source().progress()->done == 24);
}

TEST_CASE("a source that was not bound refuses to read") {
  const TempFolder folder;
  sources::FileSource source(csv({folder.write("f.csv", "id,note\n1,a\n")}));
  RowBatch batch(schema);
  CHECK_THAT(
      error_of([&] { static_cast<void>(source.read(batch, 1, in(std::chrono::milliseconds(1)))); }, Category::usage),
      contains("bound"));
}

TEST_CASE("a batch ends at about one mebibyte of text and at the end of a file") {
  const TempFolder folder;
  std::string content = "id,note\n";
  for (int i = 0; i < 50; ++i) content += std::to_string(i) + ',' + std::string(100'000, 'x') + '\n';
  folder.write("1.csv", content);
  folder.write("2.csv", "id,note\n1,a\n");
  Reader reader(csv({folder.path("*.csv")}), schema);
  CHECK(reader.some(1000, std::chrono::milliseconds(1000)).size() == 11);
  while (*reader.batch().file() == folder.path("1.csv")) REQUIRE_FALSE(reader.some(1000).empty());
  CHECK(reader.batch().rows() == 1);
}
