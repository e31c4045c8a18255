#include "tests/support/catch.hpp"
#include "tests/unit/sources/support.hpp"

using namespace xasink;
using namespace xasink::test;
using Rows = std::vector<std::string>;

namespace {

const auto schema =
    columns("id:int64! name:text amount:decimal(30,10) big:uint64 ratio:float64 ok:boolean doc:json at:timestamptz");

Rows read_jsonl(std::string_view content, std::size_t buffer_bytes = sources::FileSource::default_buffer_bytes) {
  const TempFolder folder;
  return Reader(jsonl({folder.write("f.jsonl", content)}), schema, buffer_bytes).rest();
}

std::string jsonl_error(std::string_view content, Category category = Category::data) {
  const TempFolder folder;
  const std::string path = folder.write("f.jsonl", content);
  const auto error = error_of([&] { static_cast<void>(Reader(jsonl({path}), schema).rest()); }, category);
  const auto at = error.find(path);
  REQUIRE(at != std::string::npos);
  return error.substr(at + path.size());
}

}  // namespace

TEST_CASE("keys name columns in any order, and a missing key or null is NULL") {
  const std::string content =
      "{\"id\": 1, \"name\": \"x\", \"ok\": true}\n"
      "{\"ok\":false,\"id\":2,\"name\":null}\r\n"
      "\n"
      "  { \"name\" : \"y\" , \"id\" : 3 }  \n"
      "{\"id\":4}";
  const Rows expected = {"1|x|NULL|NULL|NULL|1|NULL|NULL", "2|NULL|NULL|NULL|NULL|0|NULL|NULL",
                         "3|y|NULL|NULL|NULL|NULL|NULL|NULL", "4|NULL|NULL|NULL|NULL|NULL|NULL|NULL"};
  for (const std::size_t buffer : {16U, 40U, 4096U}) CHECK(read_jsonl(content, buffer) == expected);
}

TEST_CASE("numbers keep every digit") {
  CHECK(
      read_jsonl(
          "{\"id\":-9223372036854775808,\"amount\":12345678901234567890.0123456789,\"big\":18446744073709551615}\n") ==
      Rows{"-9223372036854775808|NULL|12345678901234567890.0123456789|18446744073709551615|NULL|NULL|NULL|NULL"});
  CHECK(read_jsonl("{\"id\":1,\"ratio\":-1.5e3, \"amount\" : 0.10 }\n") ==
        Rows{"1|NULL|0.10|NULL|-1500.000000|NULL|NULL|NULL"});
}

TEST_CASE("numbers in strings are taken for number columns") {
  CHECK(read_jsonl("{\"id\":\"7\",\"amount\":\"12.50\",\"at\":\"1970-01-01T00:00:01Z\"}\n") ==
        Rows{"7|NULL|12.50|NULL|NULL|NULL|NULL|1000000"});
}

TEST_CASE("strings are unescaped, keys too") {
  CHECK(read_jsonl("{\"id\":1,\"n\\u0061me\":\"a\\\"b\\\\c\\n\\u00e9\\ud83d\\ude00\"}\n") ==
        Rows{"1|a\"b\\c\né😀|NULL|NULL|NULL|NULL|NULL|NULL"});
}

TEST_CASE("a json column takes any value as it is written") {
  for (const std::string value : {"{\"a\": [1, 2.50, {}]}", "[1 , 2]", "\"te\\u0078t\"", "1.50", "true", "[]", "{ }"}) {
    CHECK(read_jsonl("{\"doc\":" + value + " ,\"id\":1}\n") == Rows{"1|NULL|NULL|NULL|NULL|NULL|" + value + "|NULL"});
  }
  CHECK(read_jsonl("{\"doc\":null,\"id\":1}\n") == Rows{"1|NULL|NULL|NULL|NULL|NULL|NULL|NULL"});
}

TEST_CASE("what a JSON value can't be is refused, naming line and column") {
  CHECK_THAT(jsonl_error("{\"id\":1}\n{\"id\":2,\"name\":12}\n"), contains(":2: column \"name\": \"12\" is a number"));
  CHECK_THAT(jsonl_error("{\"id\":1,\"name\":[1,2]}\n"), contains(":1: column \"name\": \"[1,2]\" is an array"));
  CHECK_THAT(jsonl_error("{\"id\":1,\"amount\":{}}\n"), contains("\"{}\" is an object"));
  CHECK_THAT(jsonl_error("{\"id\":true}\n"), contains("\"true\" is a boolean"));
  CHECK_THAT(jsonl_error("{\"id\":1,\"ok\":1}\n"), contains("\"1\" is a number"));
  CHECK_THAT(jsonl_error("{\"id\":1.5}\n"), contains("column \"id\": \"1.5\" is"));
  CHECK_THAT(jsonl_error("{\"id\":9223372036854775808}\n"),
             contains("column \"id\": \"9223372036854775808\" is out of range"));
  CHECK_THAT(jsonl_error("{\"id\":null}\n"), contains("column \"id\" is NULL"));
  CHECK_THAT(jsonl_error("{\"name\":\"x\"}\n"), contains("column \"id\" is missing"));
  CHECK_THAT(jsonl_error("{\"id\":1,\"name\":\"a\\u0000b\"}\n"), contains("column \"name\""));
}

TEST_CASE("unknown and repeated keys are refused") {
  CHECK_THAT(jsonl_error("{\"id\":1,\"nam\":\"x\"}\n"),
             contains(":1: key \"nam\" has no column: table orders has id, name"));
  CHECK_THAT(jsonl_error("{\"id\":1,\"name\":\"x\",\"id\":1}\n"), contains("key \"id\" appears twice"));
  CHECK_THAT(jsonl_error("{\"id\":1,\"name\":null,\"name\":\"x\"}\n"), contains("key \"name\" appears twice"));
}

TEST_CASE("a line that is no JSON object is refused with file and line") {
  for (const std::string line : {"[1]",
                                 "12",
                                 "\"x\"",
                                 "null",
                                 "{\"id\":1",
                                 "{\"id\":1}}",
                                 "{\"id\":1} {\"id\":2}",
                                 "{\"id\":1,}",
                                 "{\"id\" 1}",
                                 "{id:1}",
                                 "{\"id\":1 \"ok\":true}",
                                 "{\"id\":01}",
                                 "{\"id\":-}",
                                 "{\"id\":1.}",
                                 "{\"id\":1e}",
                                 "{\"id\":+1}",
                                 "{\"id\":.5}",
                                 "{\"id\":0x1}",
                                 "{\"id\":1,\"ok\":tru}",
                                 "{\"id\":1,\"ok\":nulll}",
                                 "{\"id\":1,\"name\":\"x}",
                                 "{\"id\":1,\"name\":\"\\ud800\"}",
                                 "{\"id\":1,\"name\":\"\xFF\"}",
                                 "{\"id\":1,\"name\":\"a\tb\"}",
                                 "{\"id\":1,\"doc\":[1,,2]}",
                                 "{\"id\":1,\"doc\":{\"a\":[}]}}",
                                 "x"}) {
    INFO(line);
    CHECK_THAT(jsonl_error("{\"id\":0}\n" + line + "\n"), contains(":2: "));
    CHECK_THAT(jsonl_error("{\"id\":0}\n" + line), contains(":2: "));
  }
}

TEST_CASE("the last line may lack its end, and nothing behind it is read by mistake") {
  // With a small buffer, bytes of earlier lines lie behind the last one.
  CHECK_THAT(jsonl_error("{\"id\":1234567,\"name\":\"abcdefgh\"}\n{\"id\":12"), contains(":2: "));
  CHECK(read_jsonl("{\"id\":11}\n{\"id\":1}", 16).size() == 2);
}

TEST_CASE("a JSON line longer than 64 MiB is refused") {
  CHECK_THAT(jsonl_error("{\"id\":1,\"name\":\"" + std::string((64U << 20) + 1000, 'x')),
             contains(":1: the line is longer than 64 MiB"));
}

TEST_CASE("a byte order mark and carriage returns between tokens are no part of a JSON line") {
  CHECK(read_jsonl("\xEF\xBB\xBF{\"id\":1,\r\"name\":\"x\"}\r\n") == Rows{"1|x|NULL|NULL|NULL|NULL|NULL|NULL"});
}
