#include <random>

#include "tests/support/catch.hpp"
#include "tests/unit/sources/support.hpp"

using namespace xasink;
using namespace xasink::test;
using Rows = std::vector<std::string>;

namespace {

const auto two_texts = columns("a:text b:text");

Rows read_csv(std::string_view content, std::size_t buffer_bytes = sources::FileSource::default_buffer_bytes) {
  const TempFolder folder;
  Reader reader(csv({folder.write("f.csv", content)}), two_texts, buffer_bytes);
  return reader.rest();
}

/// The error of reading the content, without the folder's name.
std::string csv_error(std::string_view content, const std::shared_ptr<const TableSchema>& schema = two_texts,
                      Category category = Category::data, config::FileSourceConfig config = csv({})) {
  const TempFolder folder;
  config.paths = {folder.write("f.csv", content)};
  std::string error = error_of([&] { static_cast<void>(Reader(config, schema).rest()); }, category);
  const std::string path = folder.path("");
  for (std::size_t at = 0; (at = error.find(path)) != std::string::npos;) error.erase(at, path.size());
  return error;
}

}  // namespace

TEST_CASE("fields are read as RFC 4180 says, at any buffer size") {
  const std::string content =
      "a,b\r\n"
      "plain,\"quoted\"\r\n"
      "\"with, comma\",\"with \"\"quotes\"\"\"\n"
      "\"line\r\nbreak\",\"and\n\nmore\"\r\n"
      " blanks , stay \n"
      "\"\"\"\",x\n"
      "last,line";
  const Rows expected = {
      "plain|quoted", "with, comma|with \"quotes\"", "line\r\nbreak|and\n\nmore", " blanks | stay ", "\"|x",
      "last|line"};
  for (const std::size_t buffer : {16U, 17U, 31U, 64U, 4096U}) {
    INFO("buffer of " << buffer);
    CHECK(read_csv(content, buffer) == expected);
  }
}

TEST_CASE("an empty field without quotes is NULL and two quotes are the empty text") {
  CHECK(read_csv("a,b\n,\"\"\n\"\",\n,\n") == Rows{"NULL|", "|NULL", "NULL|NULL"});
}

TEST_CASE("with a null text only that text without quotes is NULL") {
  const TempFolder folder;
  auto config = csv({folder.write("f.csv",
                                  "a,b\n"
                                  "\\N,\"\\N\"\n"
                                  "\"\\N\",\\N\n"
                                  ",\"\"\n"
                                  "\\N,\"several\nlines, \"\"and\"\" \\N\"\n"
                                  "\"x,\n\\N\",\\N\n"
                                  "\\n,\\NN\n"
                                  "\"\",\\N")});
  config.null_text = "\\N";
  const Rows expected = {"NULL|\\N",     "\\N|NULL", "|",    "NULL|several\nlines, \"and\" \\N",
                         "x,\n\\N|NULL", "\\n|\\NN", "|NULL"};
  for (const std::size_t buffer : {16U, 20U, 4096U}) CHECK(Reader(config, two_texts, buffer).rest() == expected);
}

TEST_CASE("records end with line feeds, carriage returns or both") {
  const Rows expected = {"1|2", "3|4"};
  for (const char* content : {"a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4\r", "a,b\r\n1,2\r3,4",
                              "a,b\n\n\n1,2\n\r\n3,4\n\n"}) {
    for (const std::size_t buffer : {16U, 4096U}) CHECK(read_csv(content, buffer) == expected);
  }
}

TEST_CASE("each row carries its file and the line its record begins on") {
  const TempFolder folder;
  const std::string path = folder.write("f.csv", "a,b\r\n1,\"x\r\ny\r\nz\"\r\n\r\n2,b\r3,c\r\n");
  Reader reader(csv({path}), two_texts);
  REQUIRE(reader.some(10).size() == 3);
  CHECK(reader.batch().lines() == std::vector<std::uint64_t>{2, 6, 7});
  CHECK(*reader.batch().file() == path);
}

TEST_CASE("delimiter and quote can be chosen") {
  const TempFolder folder;
  auto config = csv({folder.write("f.csv", "a\tb\nit's, \"so\"\t'tab\there'\n''''\t\n")});
  config.delimiter = '\t';
  config.quote = '\'';
  CHECK(error_of([&] { static_cast<void>(Reader(config, two_texts).rest()); }, Category::data).find("quote") !=
        std::string::npos);
  config.paths = {folder.write("g.csv", "a\tb\n, \"so\"\t'tab\there'\n''''\t\n")};
  CHECK(Reader(config, two_texts).rest() == Rows{", \"so\"|tab\there", "'|NULL"});
  config.quote = '\t';
  CHECK_THAT(error_of([&] { Reader(config, two_texts); }, Category::configuration), contains("must differ"));
}

TEST_CASE("a byte order mark at the start is left out, also before a quote") {
  for (const std::size_t buffer : {16U, 4096U}) {
    CHECK(read_csv("\xEF\xBB\xBF"
                   "a,b\n1,2\n",
                   buffer) == Rows{"1|2"});
    CHECK(read_csv("\xEF\xBB\xBF\"a\",\"b\"\n1,\xEF\xBB\xBF"
                   "2\n",
                   buffer) == Rows{"1|\xEF\xBB\xBF"
                                   "2"});
  }
}

TEST_CASE("fields feed the columns by name, in the order of each file's own header") {
  const TempFolder folder;
  folder.write("1.csv", "b,a\nB1,A1\n");
  folder.write("2.csv", "a,b\nA2,B2\n");
  Reader reader(csv({folder.path("*.csv")}), two_texts);
  CHECK(reader.rest() == Rows{"A1|B1", "A2|B2"});
}

TEST_CASE("without a header the job names the fields") {
  const TempFolder folder;
  auto config = csv({folder.write("f.csv", "B,A\nD,C\n")});
  config.header = false;
  CHECK_THAT(error_of([&] { Reader(config, two_texts); }, Category::configuration), contains("header: true"));
  config.columns = {"b", "a"};
  CHECK(Reader(config, two_texts).rest() == Rows{"A|B", "C|D"});
  config.columns = {"b"};
  CHECK_THAT(error_of([&] { Reader(config, two_texts); }, Category::configuration), contains("column \"a\""));
  config.columns = {"b", "a", "c"};
  CHECK_THAT(error_of([&] { Reader(config, two_texts); }, Category::configuration), contains("\"c\" has no column"));
  config.header = true;
  CHECK_THAT(error_of([&] { Reader(config, two_texts); }, Category::configuration), contains("both"));
}

TEST_CASE("a header that doesn't fit the columns is refused, naming both") {
  const auto header_error = [](std::string_view content) {
    return csv_error(content, two_texts, Category::configuration);
  };
  CHECK_THAT(header_error("a,b,c\n1,2,3\n"), contains("f.csv: field 3 \"c\" has no column: table orders has a, b"));
  CHECK_THAT(header_error("a\n1\n"), contains("f.csv: column \"b\" of table orders has no field"));
  CHECK_THAT(header_error("a,b,a\n1,2,3\n"), contains("two fields are named \"a\""));
  CHECK_THAT(header_error("a,,b\n1,2,3\n"), contains("field 2 has no name"));
  CHECK_THAT(header_error("A,b\n1,2\n"), contains("\"A\" has no column"));
  CHECK_THAT(header_error(""), contains("f.csv is empty: it should begin with a header"));
  CHECK(read_csv("a,b") == Rows{});
}

TEST_CASE("a bad header of the last file is found before the first row is read") {
  const TempFolder folder;
  folder.write("1.csv", "a,b\n1,2\n");
  folder.write("2.csv", "a,x\n1,2\n");
  CHECK_THAT(error_of([&] { Reader(csv({folder.path("*.csv")}), two_texts); }, Category::configuration),
             contains("2.csv: field 2 \"x\" has no column"));
}

TEST_CASE("records that are not well-formed are refused with file and line") {
  CHECK_THAT(csv_error("a,b\n1,2\n1,2,3\n"), contains("f.csv:3: has 3 fields, the header has 2"));
  CHECK_THAT(csv_error("a,b\n1\n"), contains("f.csv:2: has 1 field, the header has 2"));
  CHECK_THAT(csv_error("a,b\n\"1\",\"2\",\"3\"\n"), contains("f.csv:2: has 3 fields, the header has 2"));
  CHECK_THAT(csv_error("a,b\n1,x\"y\n"), contains("f.csv:2: field 2 has a quote in it but does not begin with one"));
  CHECK_THAT(csv_error("a,b\n1,2\n\"x\"y,2\n"), contains("f.csv:3: field 1 has something between its closing quote"));
  CHECK_THAT(csv_error("a,b\n1,\"x\" \n"), contains("f.csv:2: field 2 has something between its closing quote"));
  CHECK_THAT(csv_error("a,b\n1,\"x\ny\"z\n"), contains("f.csv:2: field 2 (on line 3) has something"));
  CHECK_THAT(csv_error("a,b\n1,2\n3,\"x\n4,5\n"),
             contains("f.csv:3: field 2 begins with a quote that is not closed by the end of the file"));
}

TEST_CASE("a blank line in a file of one column is refused, because it could be a row") {
  CHECK_THAT(csv_error("a\nx\n\ny\n", columns("a:text")), contains("f.csv:3: a blank line"));
}

TEST_CASE("a value that doesn't fit is refused with file, line, column and reason") {
  const auto schema = columns("id:int64! amount:decimal(12,2)");
  CHECK_THAT(csv_error("id,amount\n1,2.50\n2,12.345\n", schema),
             contains("f.csv:3: column \"amount\": \"12.345\" has 3 digits after the point, decimal(12,2) takes 2"));
  CHECK_THAT(csv_error("id,amount\n,2.50\n", schema), contains("f.csv:2: column \"id\" is NULL"));
  CHECK_THAT(csv_error("id,amount\n\"\",2.50\n", schema), contains("f.csv:2: column \"id\": \"\" is"));
  CHECK_THAT(csv_error(std::string_view("a,b\nx\0y,2\n", 10)), contains("f.csv:2: column \"a\""));
  CHECK_THAT(csv_error("a,b\n1,\xFF\n"), contains("f.csv:2: column \"b\""));
}

TEST_CASE("after a refused value the batch holds the rows before it and the position is behind them") {
  const TempFolder folder;
  const auto schema = columns("id:int64! a:text");
  const std::string path = folder.write("f.csv", "id,a\n1,x\n2,\"y\nz\"\nbad,w\n4,v\n");
  for (const std::size_t buffer : {16U, 4096U}) {
    const auto source = std::make_unique<sources::FileSource>(csv({path}), buffer);
    source->bind(schema);
    RowBatch batch(schema);
    for (int attempt = 0; attempt < 2; ++attempt) {
      try {
        static_cast<void>(source->read(batch, 100, in(std::chrono::milliseconds(100))));
        FAIL("the row was taken");
      } catch (const DataError& error) {
        CHECK(error.origin().file == path);
        CHECK(error.origin().line == 5);
        CHECK(error.origin().column == "id");
        CHECK(error.origin().value == "bad");
        CHECK_FALSE(error.retryable());
      }
      CHECK(batch.pending_cells() == 0);
      CHECK(rows_of(batch) == (attempt == 0 ? Rows{"1|x", "2|y\nz"} : Rows{}));
      batch.clear();
    }
    Reader other(csv({path}), schema);
    other.seek(source->position());
    CHECK_THAT(error_of([&] { static_cast<void>(other.some(1)); }, Category::data), contains("f.csv:5"));
  }
}

TEST_CASE("a record longer than 64 MiB is refused instead of filling the memory") {
  CHECK_THAT(csv_error("a,b\n1,\"" + std::string((64U << 20) + 1000, 'x')),
             contains("f.csv:2: the record is longer than 64 MiB"));
}

TEST_CASE("records without quotes are split as libcsv would split them") {
  // Any record means the same with quotes around its first field; only those without any take the short way.
  std::mt19937 random(4180);
  const std::string letters = "ab ,,.\\N\t;";
  for (int round = 0; round < 300; ++round) {
    std::string a;
    std::string b;
    for (auto n = random() % 6; n > 0; --n) a += letters[random() % letters.size()];
    for (auto n = random() % 6; n > 0; --n) b += letters[random() % letters.size()];
    const std::string end = random() % 2 == 0 ? "\n" : "\r\n";
    const TempFolder folder;
    auto config = csv({});
    config.header = false;
    config.columns = {"k", "a", "b"};
    config.delimiter = ';';
    if (random() % 2 == 0) config.null_text = "\\N";
    const auto read = [&](const std::string& first) -> std::string {
      config.paths = {folder.write("h.csv", first + ';' + a + ';' + b + end)};
      try {
        return Reader(config, columns("k:text a:text b:text")).rest().at(0);
      } catch (const DataError& error) {
        return std::string(error.what()).substr(folder.path("h.csv").size());
      }
    };
    INFO(a << ';' << b);
    CHECK(read("x") == read("\"x\""));
  }
}
