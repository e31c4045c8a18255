#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "schema/hex.hpp"
#include "schema/parsers.hpp"

namespace xasink::schema {
namespace {

// True if every byte is 0x01 to 0x7f.
bool is_plain_ascii(std::string_view text) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t highs = ones << 7;
  // Of the lowest byte that is zero or above 0x7f, the high bit shows either in the word or after taking one away; no
  // borrow can reach it from bytes below, as those are 0x01 to 0x7f.
  const auto odd = [](std::uint64_t word) { return ((word - ones) | word) & highs; };
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t word = 0;
  for (; left >= sizeof word; at += sizeof word, left -= sizeof word) {
    std::memcpy(&word, at, sizeof word);
    if (odd(word) != 0) return false;
  }
  for (; left > 0; ++at, --left) {
    if (static_cast<signed char>(*at) <= 0) return false;
  }
  return true;
}

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

Refusal too_long(std::size_t length, const char* unit, const ColumnType& type) {
  return "has " + std::to_string(length) + ' ' + unit + ", " + to_string(type) + " takes " +
         std::to_string(type.max_length);
}

}  // namespace

Refusal append_string(RowBatch& batch, const ColumnType& type, std::string_view text) {
  std::size_t length = text.size();
  if (!is_plain_ascii(text)) {
    if (text.find('\0') != std::string_view::npos) return "has a zero byte, which text can't hold";
    if (!simdjson::validate_utf8(text)) return "is not valid UTF-8";
    if (type.max_length != 0) length = count_code_points(text);
  }
  if (type.max_length != 0 && length > type.max_length) return too_long(length, "characters", type);
  batch.append_bytes(text);
  return {};
}

Refusal append_binary(RowBatch& batch, const ColumnType& type, std::string_view text) {
  if (text.substr(0, 2) != "\\x") return "does not begin with \\x, as bytes written in hexadecimal do";
  const std::string_view hex = text.substr(2);
  if (hex.size() % 2 != 0) return "has an odd number of hexadecimal digits";
  thread_local std::string bytes;
  bytes.resize(hex.size() / 2);
  if (!decode_hex(hex, bytes.data())) return "has something else than hexadecimal digits after \\x";
  if (type.max_length != 0 && bytes.size() > type.max_length) return too_long(bytes.size(), "bytes", type);
  batch.append_bytes(bytes);
  return {};
}

}  // namespace xasink::schema
