// Hexadecimal digits, and the text form of a UUID. Pure functions, thread-safe; nothing is allocated unless said.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace xasink::schema {

inline constexpr std::size_t uuid_bytes = 16;
inline constexpr std::size_t uuid_size = 36;  ///< bytes of xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx

/// Value of a hexadecimal digit by its byte, either case; -1 for any other byte.
inline constexpr std::array<std::int8_t, 256> hex_values = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (unsigned i = 0; i < 10; ++i) values['0' + i] = static_cast<std::int8_t>(i);
  for (unsigned i = 0; i < 6; ++i) values['a' + i] = values['A' + i] = static_cast<std::int8_t>(10 + i);
  return values;
}();

/// Writes hex.size() / 2 bytes. \returns false if something is no hexadecimal digit; the buffer then holds rubbish.
/// \pre hex.size() is even
[[nodiscard]] bool decode_hex(std::string_view hex, char* to) noexcept;
/// Writes 2 * bytes.size() lower-case digits and returns their end.
char* encode_hex(std::string_view bytes, char* to) noexcept;
/// Appends 2 * bytes.size() lower-case digits; may allocate.
void append_hex(std::string& out, std::string_view bytes);
/// Writes uuid_size bytes, lower case, and returns their end. \pre bytes.size() == uuid_bytes
char* format_uuid(char* to, std::string_view bytes) noexcept;

}  // namespace xasink::schema
