#include <simdjson.h>

#include <algorithm>

#include "schema/hex.hpp"
#include "schema/parse_value.hpp"

namespace xasink::schema {
namespace {

// Bytes of the code point at the front, 0 if it is not valid UTF-8.
std::size_t code_point_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t size = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (size == 0 || size > text.size() || !simdjson::validate_utf8(text.data(), size)) return 0;
  return size;
}

// C0, DEL and C1 (U+0080 to U+009F): what a terminal might obey.
bool is_control(std::string_view code_point) {
  const auto first = static_cast<unsigned char>(code_point.front());
  if (code_point.size() == 1) return first < 0x20 || first == 0x7f;
  return code_point.size() == 2 && first == 0xc2 && static_cast<unsigned char>(code_point[1]) < 0xa0;
}

void append_escaped(std::string& out, std::string_view bytes) {
  if (bytes == "\n") {
    out += "\\n";
  } else if (bytes == "\r") {
    out += "\\r";
  } else if (bytes == "\t") {
    out += "\\t";
  } else {
    for (std::size_t i = 0; i < bytes.size(); ++i) append_hex(out += "\\x", bytes.substr(i, 1));
  }
}

}  // namespace

std::string shorten(std::string_view value) {
  constexpr std::size_t most_characters = 40;
  std::string out;
  std::size_t characters = 0;  // on the screen, an escape counting as what it takes
  while (!value.empty()) {
    const std::size_t size = code_point_size(value);
    const std::string_view piece = value.substr(0, std::max<std::size_t>(size, 1));
    const bool escape = size == 0 || is_control(piece);
    const std::size_t before = out.size();
    if (escape)
      append_escaped(out, piece);
    else
      out += piece;
    characters += escape ? out.size() - before : 1;
    value.remove_prefix(piece.size());
    if (characters >= most_characters && !value.empty()) return out += "…";
  }
  return out;
}

}  // namespace xasink::schema
