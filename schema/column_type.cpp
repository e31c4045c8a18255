// The words for column types: our own, and the SQL spellings that mean the same thing on every server we know.
#include <algorithm>
#include <array>
#include <charconv>

#include "xasink/schema.hpp"

namespace xasink {
namespace {

// What the numbers in parentheses mean.
enum class Arguments : std::uint8_t {
  none,
  display_width,  // int(11): says nothing about the values
  digits,         // decimal(p) or decimal(p,s)
  length,         // varchar(n)
  micros,         // timestamp(6): only full microseconds, since the server would round the rest away
};

// In a spelling, () stands for the arguments.
struct Spelling {
  std::string_view text;
  TypeKind kind;
  Arguments arguments = Arguments::none;
};

// Left out on purpose, as no kind of ours holds exactly what they mean everywhere: int2/int4 (beside our own int8,
// which counts bits), mediumint, binary(n) (padded with zero bytes), time with time zone, timestamp(0) to timestamp(5).
constexpr auto spellings = std::to_array<Spelling>({
    {"int8", TypeKind::int8},
    {"int16", TypeKind::int16},
    {"int32", TypeKind::int32},
    {"int64", TypeKind::int64},
    {"uint8", TypeKind::uint8},
    {"uint16", TypeKind::uint16},
    {"uint32", TypeKind::uint32},
    {"uint64", TypeKind::uint64},
    {"float32", TypeKind::float32},
    {"float64", TypeKind::float64},
    {"decimal", TypeKind::decimal},
    {"decimal()", TypeKind::decimal, Arguments::digits},
    {"text", TypeKind::text},
    {"text()", TypeKind::text, Arguments::length},
    {"bytes", TypeKind::bytes},
    {"bytes()", TypeKind::bytes, Arguments::length},
    {"boolean", TypeKind::boolean},
    {"date", TypeKind::date},
    {"time", TypeKind::time},
    {"timestamp", TypeKind::timestamp},
    {"timestamptz", TypeKind::timestamptz},
    {"uuid", TypeKind::uuid},
    {"json", TypeKind::json},

    {"tinyint", TypeKind::int8},
    {"tinyint()", TypeKind::int8, Arguments::display_width},
    {"tinyint unsigned", TypeKind::uint8},
    {"tinyint() unsigned", TypeKind::uint8, Arguments::display_width},
    {"smallint", TypeKind::int16},
    {"smallint()", TypeKind::int16, Arguments::display_width},
    {"smallint unsigned", TypeKind::uint16},
    {"smallint() unsigned", TypeKind::uint16, Arguments::display_width},
    {"int", TypeKind::int32},
    {"int()", TypeKind::int32, Arguments::display_width},
    {"int unsigned", TypeKind::uint32},
    {"int() unsigned", TypeKind::uint32, Arguments::display_width},
    {"integer", TypeKind::int32},
    {"integer()", TypeKind::int32, Arguments::display_width},
    {"integer unsigned", TypeKind::uint32},
    {"integer() unsigned", TypeKind::uint32, Arguments::display_width},
    {"bigint", TypeKind::int64},
    {"bigint()", TypeKind::int64, Arguments::display_width},
    {"bigint unsigned", TypeKind::uint64},
    {"bigint() unsigned", TypeKind::uint64, Arguments::display_width},
    {"real", TypeKind::float32},
    {"float4", TypeKind::float32},
    {"float", TypeKind::float64},
    {"float8", TypeKind::float64},
    {"double", TypeKind::float64},
    {"double precision", TypeKind::float64},
    {"numeric", TypeKind::decimal},
    {"numeric()", TypeKind::decimal, Arguments::digits},
    {"dec", TypeKind::decimal},
    {"dec()", TypeKind::decimal, Arguments::digits},
    {"varchar", TypeKind::text},
    {"varchar()", TypeKind::text, Arguments::length},
    {"character varying", TypeKind::text},
    {"character varying()", TypeKind::text, Arguments::length},
    {"char varying()", TypeKind::text, Arguments::length},
    {"char()", TypeKind::text, Arguments::length},
    {"character()", TypeKind::text, Arguments::length},
    {"nvarchar()", TypeKind::text, Arguments::length},
    {"mediumtext", TypeKind::text},
    {"longtext", TypeKind::text},
    {"clob", TypeKind::text},
    {"bytea", TypeKind::bytes},
    {"blob", TypeKind::bytes},
    {"mediumblob", TypeKind::bytes},
    {"longblob", TypeKind::bytes},
    {"varbinary()", TypeKind::bytes, Arguments::length},
    {"binary varying()", TypeKind::bytes, Arguments::length},
    {"bool", TypeKind::boolean},
    {"time()", TypeKind::time, Arguments::micros},
    {"time without time zone", TypeKind::time},
    {"time() without time zone", TypeKind::time, Arguments::micros},
    {"datetime", TypeKind::timestamp},
    {"datetime()", TypeKind::timestamp, Arguments::micros},
    {"timestamp()", TypeKind::timestamp, Arguments::micros},
    {"timestamp without time zone", TypeKind::timestamp},
    {"timestamp() without time zone", TypeKind::timestamp, Arguments::micros},
    {"timestamptz()", TypeKind::timestamptz, Arguments::micros},
    {"timestamp with time zone", TypeKind::timestamptz},
    {"timestamp() with time zone", TypeKind::timestamptz, Arguments::micros},
    {"jsonb", TypeKind::json},
});

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The text in the form of the table: lower case, single spaces, the arguments taken out.
struct Parts {
  std::string spelling;
  std::vector<std::uint32_t> arguments;
};

std::optional<std::vector<std::uint32_t>> parse_arguments(std::string_view list) {
  std::vector<std::uint32_t> arguments;
  const char* at = list.data();
  const char* const end = at + list.size();
  const auto skip_spaces = [&] {
    while (at != end && is_space(*at)) ++at;
  };
  for (;;) {
    skip_spaces();
    std::uint32_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) return std::nullopt;
    arguments.push_back(value);
    at = stop;
    skip_spaces();
    if (at == end) return arguments;
    if (*at++ != ',') return std::nullopt;
  }
}

std::optional<Parts> take_apart(std::string_view text) {
  Parts parts;
  bool word_begins = false;  // a space or ')' came before: the next letter begins another word
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_space(c)) {
      word_begins = true;
    } else if (c == '(') {
      const std::size_t close = text.find(')', i);
      if (close == std::string_view::npos || !parts.arguments.empty()) return std::nullopt;
      auto arguments = parse_arguments(text.substr(i + 1, close - i - 1));
      if (!arguments) return std::nullopt;
      parts.arguments = std::move(*arguments);
      parts.spelling += "()";
      word_begins = false;
      i = close;
    } else {
      if (word_begins && !parts.spelling.empty()) parts.spelling += ' ';
      word_begins = false;
      parts.spelling += lower(c);
    }
  }
  return parts;
}

std::optional<ColumnType> apply(const Spelling& spelling, const std::vector<std::uint32_t>& arguments) {
  constexpr std::uint32_t most_digits = 1000;  // no server declares more
  ColumnType type;
  type.kind = spelling.kind;
  if (spelling.arguments == Arguments::none) return type;
  const std::uint32_t first = arguments.front();
  const std::uint32_t second = arguments.size() == 2 ? arguments.back() : 0;
  const bool one = arguments.size() == 1;
  switch (spelling.arguments) {
    case Arguments::none: break;
    case Arguments::display_width:
      if (!one) return std::nullopt;
      break;
    case Arguments::digits:
      if (arguments.size() > 2 || first == 0 || first > most_digits || second > first) return std::nullopt;
      type.precision = static_cast<int>(first);
      type.scale = static_cast<int>(second);
      break;
    case Arguments::length:
      if (!one || first == 0) return std::nullopt;
      type.max_length = first;
      break;
    case Arguments::micros:
      if (!one || first != 6) return std::nullopt;
      break;
  }
  return type;
}

}  // namespace

std::string to_string(const ColumnType& type) {
  // Our own words come first in the table, one per kind.
  const auto* const own = std::find_if(spellings.begin(), spellings.end(),
                                       [&](const Spelling& spelling) { return spelling.kind == type.kind; });
  std::string text(own == spellings.end() ? std::string_view("unknown") : own->text);
  if (type.kind == TypeKind::decimal && type.precision > 0) {
    text += '(' + std::to_string(type.precision) + ',' + std::to_string(type.scale) + ')';
  } else if ((type.kind == TypeKind::text || type.kind == TypeKind::bytes) && type.max_length > 0) {
    text += '(' + std::to_string(type.max_length) + ')';
  }
  return text;
}

std::optional<ColumnType> parse_column_type(std::string_view text) {
  const auto parts = take_apart(text);
  if (!parts) return std::nullopt;
  const auto* const found = std::find_if(spellings.begin(), spellings.end(),
                                         [&](const Spelling& spelling) { return spelling.text == parts->spelling; });
  if (found == spellings.end()) return std::nullopt;
  return apply(*found, parts->arguments);
}

}  // namespace xasink
