#include "schema/hex.hpp"

namespace xasink::schema {

bool decode_hex(std::string_view hex, char* to) noexcept {
  int seen = 0;  // the sign bit tells whether any digit was bad: one branch for all of them
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = hex_values[static_cast<unsigned char>(hex[i])];
    const int low = hex_values[static_cast<unsigned char>(hex[i + 1])];
    seen |= high | low;
    *to++ = static_cast<char>((high & 0xf) << 4 | (low & 0xf));
  }
  return seen >= 0;
}

char* encode_hex(std::string_view bytes, char* to) noexcept {
  static constexpr char digits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *to++ = digits[byte >> 4];
    *to++ = digits[byte & 0xf];
  }
  return to;
}

void append_hex(std::string& out, std::string_view bytes) {
  const std::size_t start = out.size();
  out.resize(start + 2 * bytes.size());
  encode_hex(bytes, out.data() + start);
}

char* format_uuid(char* to, std::string_view bytes) noexcept {
  to = encode_hex(bytes.substr(0, 4), to);
  for (const std::size_t start : {4U, 6U, 8U}) {
    *to++ = '-';
    to = encode_hex(bytes.substr(start, 2), to);
  }
  *to++ = '-';
  return encode_hex(bytes.substr(10, 6), to);
}

}  // namespace xasink::schema
