// For every kind: the text form of any cell parses to the same cell.
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "one_value.hpp"
#include "schema/calendar.hpp"
#include "tests/support/catch.hpp"

namespace xasink::test {
namespace {

using Random = std::mt19937_64;

std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// Magnitudes of all sizes, not only the large ones that uniform numbers nearly always are.
std::uint64_t any_bits(Random& random) { return random() >> between(random, 0, 63); }

std::int64_t any_signed(Random& random, int bits) {
  const std::int64_t value = static_cast<std::int64_t>(any_bits(random) ^ (random() % 2 == 0 ? ~std::uint64_t{0} : 0));
  return value >> (64 - bits);
}

template <typename Float, typename Bits>
double any_finite(Random& random) {
  for (;;) {
    const auto value = std::bit_cast<Float>(static_cast<Bits>(random()));
    if (std::isfinite(value)) return static_cast<double>(value);
  }
}

std::string digits(Random& random, std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += static_cast<char>('0' + between(random, 0, 9));
  return text;
}

// Canonical, as TypeKind::decimal says.
std::string any_decimal(Random& random, std::int64_t whole, std::int64_t fraction) {
  std::string text = digits(random, between(random, 0, whole));
  text.erase(0, std::min(text.find_first_not_of('0'), text.size()));
  if (text.empty()) text = "0";
  const std::string after = digits(random, between(random, 0, fraction));
  if (!after.empty()) text += '.' + after;
  if (random() % 2 == 0 && text.find_first_not_of("0.") != std::string::npos) text.insert(0, 1, '-');
  return text;
}

std::string any_bytes(Random& random) {
  std::string bytes;
  for (std::int64_t i = between(random, 0, 40); i > 0; --i) bytes += static_cast<char>(random());
  return bytes;
}

std::string any_text(Random& random) {
  std::string text;
  for (std::int64_t i = between(random, 0, 30); i > 0; --i) {
    static constexpr const char* pieces[] = {
        "a", "Z", " ", "\n", "\\", "\"", "'", "\x7f", "ü", "語", "\xf0\x9f\x98\x80"};
    text += pieces[random() % std::size(pieces)];
  }
  return text;
}

std::string any_json(Random& random, int depth = 0) {
  switch (random() % (depth < 3 ? 6 : 4)) {
    case 0: return "null";
    case 1:
      return any_decimal(random, 30, 30) + (random() % 2 == 0 ? "" : "e" + std::to_string(any_signed(random, 12)));
    case 2: return "\"\\u0041\\\\ ü\\\"\"";
    case 3: return random() % 2 == 0 ? "true" : "false";
    case 4: return "[" + any_json(random, depth + 1) + ", " + any_json(random, depth + 1) + "]";
    default: return "{\"a 1e999\":" + any_json(random, depth + 1) + "}";
  }
}

void append_any(RowBatch& batch, const ColumnType& type, Random& random) {
  switch (type.kind) {
    case TypeKind::int8: return batch.append_int(any_signed(random, 8));
    case TypeKind::int16: return batch.append_int(any_signed(random, 16));
    case TypeKind::int32: return batch.append_int(any_signed(random, 32));
    case TypeKind::int64: return batch.append_int(any_signed(random, 64));
    case TypeKind::uint8: return batch.append_int(static_cast<std::int64_t>(random() % 256));
    case TypeKind::uint16: return batch.append_int(static_cast<std::int64_t>(any_bits(random) & 0xffff));
    case TypeKind::uint32: return batch.append_int(static_cast<std::int64_t>(any_bits(random) & 0xffffffff));
    case TypeKind::uint64: return batch.append_uint(any_bits(random));
    case TypeKind::float32: return batch.append_double(any_finite<float, std::uint32_t>(random));
    case TypeKind::float64: return batch.append_double(any_finite<double, std::uint64_t>(random));
    case TypeKind::decimal:
      return batch.append_bytes(type.precision > 0 ? any_decimal(random, type.precision - type.scale, type.scale)
                                                   : any_decimal(random, 60, 60));
    case TypeKind::text: return batch.append_bytes(any_text(random));
    case TypeKind::bytes: return batch.append_bytes(any_bytes(random));
    case TypeKind::boolean: return batch.append_int(static_cast<std::int64_t>(random() % 2));
    case TypeKind::date: return batch.append_int(between(random, schema::min_days, schema::max_days));
    case TypeKind::time: return batch.append_int(between(random, 0, schema::micros_per_day - 1));
    case TypeKind::timestamp:
    case TypeKind::timestamptz: return batch.append_int(between(random, schema::min_micros, schema::max_micros));
    case TypeKind::uuid: {
      const std::uint64_t halves[] = {random(), random()};
      char bytes[16];
      std::memcpy(bytes, halves, sizeof bytes);
      return batch.append_bytes({bytes, sizeof bytes});
    }
    case TypeKind::json: return batch.append_bytes(any_json(random));
  }
}

bool held_as_bytes(TypeKind kind) {
  return kind == TypeKind::decimal || kind == TypeKind::text || kind == TypeKind::bytes || kind == TypeKind::uuid ||
         kind == TypeKind::json;
}

TEST_CASE("the text of any cell parses to the same cell, for every kind") {
  Random random(20'240'601);
  auto table = std::make_shared<TableSchema>();
  for (int kind = 0; kind <= static_cast<int>(TypeKind::json); ++kind) {
    const ColumnType type{static_cast<TypeKind>(kind)};
    table->columns.push_back({to_string(type), type, false});
  }
  for (const char* bounded : {"decimal(12,2)", "decimal(5,0)", "decimal(38,38)", "text(30)", "bytes(40)"}) {
    table->columns.push_back({bounded, type_of(bounded), false});
  }
  RowBatch made(table);
  RowBatch parsed(table);
  std::string text;
  for (int round = 0; round < 5000; ++round) {
    made.clear();
    parsed.clear();
    for (const Column& column : table->columns) append_any(made, column.type, random);
    made.end_row();
    for (std::size_t i = 0; i < table->columns.size(); ++i) {
      const Column& column = table->columns[i];
      text.clear();
      schema::append_value(text, made, column.type, made.row(0)[i]);
      const std::string refusal = schema::append_text(parsed, column, text);
      if (!refusal.empty()) FAIL("round " << round << ": " << column.name << " '" << text << "' " << refusal);
    }
    parsed.end_row();
    for (std::size_t i = 0; i < table->columns.size(); ++i) {
      const Cell& before = made.row(0)[i];
      const Cell& after = parsed.row(0)[i];
      const bool same = held_as_bytes(table->columns[i].type.kind) ? made.bytes_of(before) == parsed.bytes_of(after)
                                                                   : before.u == after.u;
      if (!same || after.null != 0) FAIL("round " << round << ": " << table->columns[i].name << " came back changed");
    }
  }
}

TEST_CASE("text made of random bytes is taken or refused, and what is taken comes back as itself") {
  Random random(7);
  static constexpr std::string_view alphabet = "0123456789+-.:eETZ tfnaiy{}[]\",\\xu\xc3\xbc";
  for (int kind = 0; kind <= static_cast<int>(TypeKind::json); ++kind) {
    OneValue value(to_string(ColumnType{static_cast<TypeKind>(kind)}));
    int taken = 0;
    for (int round = 0; round < 20'000; ++round) {
      std::string text;
      for (std::int64_t i = between(random, 0, 12); i > 0; --i) text += alphabet[random() % alphabet.size()];
      if (!value.take(text).empty()) continue;
      ++taken;
      const std::string once = value.again(text);
      if (value.again(once) != once) FAIL(value.column().name << ": '" << text << "' became '" << once << "'");
    }
    CAPTURE(kind, taken);
    CHECK(taken < 20'000);
  }
}

TEST_CASE("a value that no calendar has can't be formatted and leaves the text as it was") {
  auto table = std::make_shared<TableSchema>(TableSchema{"t", {Column{"c", type_of("timestamp"), false}}});
  RowBatch batch(table);
  batch.append_int(schema::max_micros + 1);
  batch.end_row();
  std::string out = "before";
  CHECK_THROWS(schema::append_value(out, batch, table->columns[0].type, batch.row(0)[0]));
  CHECK(out == "before");
}

}  // namespace
}  // namespace xasink::test
