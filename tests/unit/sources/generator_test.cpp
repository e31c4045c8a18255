#include <ctime>
#include <set>
#include <thread>

#include "schema/parse_value.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/sources/support.hpp"

using namespace xasink;
using namespace xasink::test;
using namespace std::chrono_literals;
using sources::ReadResult;
using Rows = std::vector<std::string>;

namespace {

const auto six_columns = columns("id:int64! name:text(12) amount:decimal(12,2) at:timestamptz ok:boolean note:text");

config::GeneratorConfig rows(std::uint64_t count, std::uint64_t seed = 1) { return {seed, count, std::nullopt}; }

}  // namespace

TEST_CASE("generated rows depend on seed and row index alone") {
  const Rows all = Reader(rows(5'000), six_columns).rest(1000);
  REQUIRE(all.size() == 5'000);
  CHECK(Reader(rows(5'000), six_columns).rest(7) == all);
  CHECK(Reader(rows(5'000, 2), six_columns).rest() != all);
  for (const std::size_t at : {1U, 999U, 4'999U, 5'000U}) {
    Reader first(rows(5'000), six_columns);
    std::size_t seen = 0;
    while (seen < at) seen += first.some(at - seen).size();
    Reader other(rows(5'000), six_columns);
    other.seek(first.position());
    CHECK(other.rest() == Rows(all.begin() + static_cast<std::ptrdiff_t>(at), all.end()));
    CHECK(other.last_result() == ReadResult::end);
  }
}

TEST_CASE("the first column of a generated row is its index, other columns are NULL now and then") {
  Reader reader(rows(10'000), six_columns);
  std::uint64_t row = 0;
  std::size_t nulls = 0;
  std::set<std::string> names;
  while (!reader.some(512).empty()) {
    const RowBatch& batch = reader.batch();
    for (std::size_t r = 0; r < batch.rows(); ++r, ++row) {
      CHECK(batch.row(r)[0].i == static_cast<std::int64_t>(row));
      CHECK(batch.row(r)[0].null == 0);
      for (std::size_t c = 1; c < batch.columns(); ++c) nulls += batch.row(r)[c].null;
      if (batch.row(r)[1].null == 0) names.insert(std::string(batch.bytes_of(batch.row(r)[1])));
    }
  }
  CHECK(row == 10'000);
  CHECK(nulls > 500);
  CHECK(nulls < 4'000);
  CHECK(names.size() > 5'000);
}

TEST_CASE("every type gets values it takes") {
  const auto everything = columns(
      "k:uint64! i8:int8! i16:int16! i32:int32! i64:int64! u8:uint8! u16:uint16! u32:uint32! u64:uint64! f32:float32! "
      "f64:float64! "
      "d0:decimal! d1:decimal(5,5)! d2:decimal(3,0)! d3:decimal(38,20)! d4:decimal(1,0)! t1:text(3)! t:text! b:bytes! "
      "b1:bytes(1)! "
      "ok:boolean! day:date! tm:time! ts:timestamp! tz:timestamptz! u:uuid! j:json!");
  Reader reader(rows(3'000), everything);
  while (!reader.some(500).empty()) {
    const RowBatch& batch = reader.batch();
    RowBatch again(everything);
    for (std::size_t r = 0; r < batch.rows(); ++r) {
      for (std::size_t c = 0; c < batch.columns(); ++c) {
        const Cell& cell = batch.row(r)[c];
        const Column& column = everything->columns[c];
        REQUIRE(cell.null == 0);
        switch (column.type.kind) {
          case TypeKind::int8: CHECK((cell.i >= -128 && cell.i <= 127)); break;
          case TypeKind::int16: CHECK((cell.i >= -32'768 && cell.i <= 32'767)); break;
          case TypeKind::int32: CHECK((cell.i >= -2'147'483'648LL && cell.i <= 2'147'483'647LL)); break;
          case TypeKind::uint8: CHECK((cell.i >= 0 && cell.i <= 255)); break;
          case TypeKind::uint16: CHECK((cell.i >= 0 && cell.i <= 65'535)); break;
          case TypeKind::uint32: CHECK((cell.i >= 0 && cell.i <= 4'294'967'295LL)); break;
          case TypeKind::int64:
          case TypeKind::uint64: break;
          case TypeKind::float32: CHECK(cell.d == static_cast<double>(static_cast<float>(cell.d))); break;
          case TypeKind::float64: CHECK(cell.d >= 0); break;
          // What is held as text goes through the same door as a file's fields, and comes out unchanged.
          case TypeKind::decimal:
          case TypeKind::text:
          case TypeKind::json: {
            const std::string text(batch.bytes_of(cell));
            INFO(column.name << ": " << text);
            again.drop_row();
            CHECK(schema::append_text(again, column, text).empty());
            if (again.pending_cells() == 1) CHECK(again.bytes_of(again.cells().back()) == text);
            break;
          }
          case TypeKind::bytes: CHECK((cell.length >= 1 && (column.type.max_length == 0 || cell.length <= 1))); break;
          case TypeKind::boolean: CHECK((cell.i == 0 || cell.i == 1)); break;
          case TypeKind::date: CHECK((cell.i >= 18'262 && cell.i < 18'262 + 5 * 365)); break;
          case TypeKind::time: CHECK((cell.i >= 0 && cell.i < 86'400'000'000)); break;
          case TypeKind::timestamp:
          case TypeKind::timestamptz:
            CHECK((cell.i >= 18'262 * 86'400'000'000 && cell.i < 20'100 * 86'400'000'000));
            break;
          case TypeKind::uuid: CHECK(cell.length == 16); break;
        }
      }
    }
  }
}

TEST_CASE("a key column that the row index outgrows is refused, with the rows before it kept") {
  const auto small = columns("k:text(2)! x:int32");
  Reader reader(rows(1'000), small);
  const std::string error = error_of([&] { static_cast<void>(reader.some(1'000, 1s)); }, Category::data);
  CHECK_THAT(error, contains("row number 100 does not fit text(2)"));
  CHECK(reader.batch().rows() == 100);
  CHECK(reader.batch().pending_cells() == 0);
  CHECK_THAT(reader.position(), contains("\"row\":100"));
}

TEST_CASE("a paced generator gives each row when it is due, and no more") {
  Reader reader(config::GeneratorConfig{1, std::nullopt, 50.0}, six_columns);
  CHECK(reader.source().unbounded());
  const auto start = std::chrono::steady_clock::now();
  std::size_t seen = 0;
  while (seen < 15) {
    const std::size_t got = reader.some(1'000, 10s).size();
    REQUIRE(got > 0);
    seen += got;
    // Row n (from 0) is due n/50 seconds after the first read, which came no earlier than `start`.
    const auto elapsed = std::chrono::steady_clock::now() - start;
    CHECK(static_cast<double>(seen - 1) <= std::chrono::duration<double>(elapsed).count() * 50.0 + 1e-6);
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  CHECK(elapsed >= 280ms);
  CHECK(elapsed < 5s);
}

TEST_CASE("a paced generator sleeps until the deadline and says idle") {
  Reader reader(config::GeneratorConfig{1, std::nullopt, 0.01}, six_columns);
  CHECK(reader.some(10).size() == 1);  // the first is due at once
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  CHECK(reader.some(10, 100ms).empty());
  CHECK(reader.last_result() == ReadResult::idle);
  CHECK(std::chrono::steady_clock::now() - start >= 100ms);
  CHECK(std::clock() - cpu < CLOCKS_PER_SEC / 20);
}

TEST_CASE("overdue rows come at once, and pacing starts anew after a seek") {
  Reader reader(config::GeneratorConfig{1, std::nullopt, 1000.0}, six_columns);
  CHECK(reader.some(1).size() == 1);
  std::this_thread::sleep_for(100ms);
  CHECK(reader.some(1'000'000).size() >= 99);
  reader.seek(reader.position());
  std::this_thread::sleep_for(50ms);
  CHECK(reader.some(1'000'000).size() == 1);
}

TEST_CASE("positions of another seed or source are refused") {
  Reader reader(rows(10, 1), six_columns);
  CHECK_THAT(error_of([&] { reader.seek(Reader(rows(10, 2), six_columns).position()); }, Category::preflight),
             contains("seed 2"));
  for (const char* text : {"", "{}", R"({"source":"files","version":1,"finished":[]})",
                           R"({"source":"generator","version":9,"seed":1,"row":1})"}) {
    CHECK_THAT(error_of([&] { reader.seek(text); }, Category::corrupt), contains("position"));
  }
  CHECK_THAT(error_of(
                 [&] {
                   Reader(config::GeneratorConfig{1, 10, 0.0}, six_columns);
                 },
                 Category::configuration),
             contains("rows_per_second"));
}

TEST_CASE("progress of a generator counts rows") {
  Reader reader(rows(10), six_columns);
  static_cast<void>(reader.some(4, 1s));
  CHECK(reader.source().progress()->done == 4);
  CHECK(reader.source().progress()->total == 10);
}
