#include "src/sources/generated_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "xasink/error.hpp"

namespace xasink::sources {

namespace {

/// splitmix64: one step scatters consecutive numbers over all 64 bits.
class Random {
 public:
  explicit Random(std::uint64_t state) : state_(state) {}

  std::uint64_t next() noexcept {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  /// 0 to bound - 1, near enough even for made-up rows.
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

 private:
  std::uint64_t state_;
};

constexpr std::int64_t micros_per_day = 86'400'000'000;
constexpr std::int64_t first_day = 18'262;  // 2020-01-01
constexpr std::uint64_t days = 5 * 365;
constexpr std::size_t max_decimal_digits = 30;

std::int64_t random_moment(Random& random) {
  return first_day * micros_per_day + static_cast<std::int64_t>(random.below(days * std::uint64_t{micros_per_day}));
}

template <typename Integer>
std::int64_t random_integer(Random& random) {
  return static_cast<Integer>(random.next());
}

/// Syllables and spaces, `length` bytes of ASCII.
void append_words(RowBatch& batch, Random& random, std::size_t length) {
  static constexpr char syllables[] = "ba be bido fuga gi ha jokalemimonupa ra re riso tuvawezi el an orunisat";
  static_assert(sizeof syllables > 64);
  std::array<char, 32> text{};
  length = std::min(length, text.size());
  std::uint64_t bits = 0;
  for (std::size_t at = 0; at < length; at += 2) {
    if (at % 20 == 0) bits = random.next();
    std::memcpy(text.data() + at, syllables + 2 * (bits % 32), 2);  // text.size() is even
    bits >>= 6;
  }
  batch.append_bytes({text.data(), length});
}

void append_decimal(RowBatch& batch, Random& random, const ColumnType& type) {
  const int precision = type.precision > 0 ? type.precision : 12;
  const int scale = type.precision > 0 ? type.scale : 2;
  if (scale < 0 || scale > precision) return batch.append_bytes("0");  // odd types, of few values
  const auto fraction = std::min(static_cast<std::size_t>(scale), max_decimal_digits / 2);
  const auto most_whole = std::min(static_cast<std::size_t>(precision - scale), max_decimal_digits / 2);
  std::array<char, 64> text{};
  std::size_t size = 0;
  std::uint64_t bits = random.next();
  const auto digit = [&] {
    if (bits < 16) bits = random.next();
    const auto value = static_cast<char>('0' + bits % 10);
    bits /= 10;
    return value;
  };
  if (bits % 8 == 0) text[size++] = '-';
  bits >>= 3;
  // A length of 1 to all digits the type takes, so that small and large amounts are there.
  const std::size_t whole = most_whole == 0 ? 0 : 1 + bits % most_whole;
  bits >>= 4;
  const std::size_t number = size;
  if (whole == 0) text[size++] = '0';
  for (std::size_t i = 0; i < whole; ++i) text[size++] = digit();
  if (whole > 1 && text[number] == '0') text[number] = '1';
  if (fraction > 0) {
    text[size++] = '.';
    for (std::size_t i = 0; i < fraction; ++i) text[size++] = digit();
  }
  std::string_view value(text.data(), size);
  if (value.find_first_not_of("-0.") == std::string_view::npos) value = "0";
  batch.append_bytes(value);
}

void append_uuid(RowBatch& batch, Random& random) {
  const std::uint64_t halves[] = {random.next(), random.next()};
  std::array<char, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(halves[i / 8] >> (8 * (i % 8)));
  bytes[6] = static_cast<char>((bytes[6] & 0x0F) | 0x40);  // version 4, random
  bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);
  batch.append_bytes({bytes.data(), bytes.size()});
}

void append_json(RowBatch& batch, Random& random) {
  std::array<char, 64> text{};
  constexpr std::string_view head = "{\"n\": ";
  constexpr std::string_view tails[] = {", \"ok\": true}", ", \"ok\": false}", ", \"tags\": [\"a\", \"b\"]}", "}"};
  char* end = std::copy(head.begin(), head.end(), text.data());
  const std::uint64_t bits = random.next();
  end = std::to_chars(end, text.data() + text.size(), bits % 100'000).ptr;
  const std::string_view tail = tails[(bits >> 32) % std::size(tails)];
  end = std::copy(tail.begin(), tail.end(), end);
  batch.append_bytes({text.data(), static_cast<std::size_t>(end - text.data())});
}

void append_binary(RowBatch& batch, Random& random, std::size_t length) {
  std::array<char, 32> bytes{};
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    const std::uint64_t bits = random.next();
    std::memcpy(bytes.data() + at, &bits, 8);
  }
  batch.append_bytes({bytes.data(), std::min(length, bytes.size())});
}

std::size_t bounded(std::size_t length, std::uint32_t max_length) {
  return max_length == 0 ? length : std::min<std::size_t>(length, max_length);
}

void append_random(RowBatch& batch, const ColumnType& type, Random& random) {
  switch (type.kind) {
    case TypeKind::int8: return batch.append_int(random_integer<std::int8_t>(random));
    case TypeKind::int16: return batch.append_int(random_integer<std::int16_t>(random));
    case TypeKind::int32: return batch.append_int(random_integer<std::int32_t>(random));
    case TypeKind::int64: return batch.append_int(random_integer<std::int64_t>(random));
    case TypeKind::uint8: return batch.append_int(random_integer<std::uint8_t>(random));
    case TypeKind::uint16: return batch.append_int(random_integer<std::uint16_t>(random));
    case TypeKind::uint32: return batch.append_int(random_integer<std::uint32_t>(random));
    case TypeKind::uint64: return batch.append_uint(random.next());
    // Multiples of 1/16 up to 2^20: 24 bits, exact as float and as double.
    case TypeKind::float32: return batch.append_double(static_cast<double>(random.below(1 << 24)) / 16);
    case TypeKind::float64: return batch.append_double(static_cast<double>(random.next() >> 11) / 1024);
    case TypeKind::decimal: return append_decimal(batch, random, type);
    case TypeKind::text: return append_words(batch, random, bounded(10 + random.below(21), type.max_length));
    case TypeKind::bytes: return append_binary(batch, random, bounded(8 + random.below(17), type.max_length));
    case TypeKind::boolean: return batch.append_int(static_cast<std::int64_t>(random.next() >> 63));
    case TypeKind::date: return batch.append_int(first_day + static_cast<std::int64_t>(random.below(days)));
    case TypeKind::time: return batch.append_int(static_cast<std::int64_t>(random.below(micros_per_day)));
    case TypeKind::timestamp:
    case TypeKind::timestamptz: return batch.append_int(random_moment(random));
    case TypeKind::uuid: return append_uuid(batch, random);
    case TypeKind::json: return append_json(batch, random);
  }
}

[[noreturn]] void refuse_key(const Column& column, std::uint64_t row) {
  ErrorDetails details;
  details.category = Category::data;
  details.session_usable = details.branch_usable = true;
  details.hint = "bound the generator's rows, or widen the column";
  const std::string number = std::to_string(row);
  throw DataError("generated row " + number + ": column \"" + column.name + "\": row number " + number +
                      " does not fit " + to_string(column.type),
                  std::move(details), {{}, 0, column.name, number});
}

/// The row's index as the value of the first column. \returns false if the type is none for keys
bool append_key(RowBatch& batch, const Column& column, std::uint64_t row) {
  const auto as_integer = [&](std::uint64_t largest) {
    if (row > largest) refuse_key(column, row);
    batch.append_int(static_cast<std::int64_t>(row));
    return true;
  };
  const auto as_text = [&](std::size_t most_digits) {
    std::array<char, 20> text{};
    const auto size =
        static_cast<std::size_t>(std::to_chars(text.data(), text.data() + text.size(), row).ptr - text.data());
    if (size > most_digits) refuse_key(column, row);
    batch.append_bytes({text.data(), size});
    return true;
  };
  const ColumnType& type = column.type;
  switch (type.kind) {
    case TypeKind::int32: return as_integer(std::numeric_limits<std::int32_t>::max());
    case TypeKind::uint32: return as_integer(std::numeric_limits<std::uint32_t>::max());
    case TypeKind::int64: return as_integer(std::numeric_limits<std::int64_t>::max());
    case TypeKind::uint64: batch.append_uint(row); return true;
    case TypeKind::decimal:
      return as_text(type.precision > 0 ? static_cast<std::size_t>(std::max(type.precision - type.scale, 1)) : 20);
    case TypeKind::text: return as_text(type.max_length > 0 ? type.max_length : 20);
    case TypeKind::int8:
    case TypeKind::int16:
    case TypeKind::uint8:
    case TypeKind::uint16:
    case TypeKind::float32:
    case TypeKind::float64:
    case TypeKind::bytes:
    case TypeKind::boolean:
    case TypeKind::date:
    case TypeKind::time:
    case TypeKind::timestamp:
    case TypeKind::timestamptz:
    case TypeKind::uuid:
    case TypeKind::json: return false;
  }
  return false;
}

}  // namespace

void append_generated_row(RowBatch& batch, std::uint64_t seed, std::uint64_t row) {
  const std::vector<Column>& columns = batch.schema().columns;
  // One stream per (seed, row): the row is scattered first, or streams of neighbouring rows would overlap.
  Random random(Random(seed).next() ^ Random(~row).next());
  const bool keyed = append_key(batch, columns[0], row);
  for (std::size_t i = keyed ? 1 : 0; i < columns.size(); ++i) {
    if (i > 0 && columns[i].nullable && random.below(32) == 0) {
      batch.append_null();
    } else {
      append_random(batch, columns[i].type, random);
    }
  }
  batch.end_row();
}

}  // namespace xasink::sources
