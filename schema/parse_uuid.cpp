#include <array>
#include <utility>

#include "schema/hex.hpp"
#include "schema/parsers.hpp"

namespace xasink::schema {

Refusal append_uuid(RowBatch& batch, std::string_view text) {
  constexpr std::string_view refusal = "is not a UUID (32 hexadecimal digits, or 8-4-4-4-12 of them)";
  if (text.size() > 2 && text.front() == '{' && text.back() == '}') text = text.substr(1, text.size() - 2);

  std::array<char, 2 * uuid_bytes> digits{};
  if (text.size() == uuid_size) {
    if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return Refusal(refusal);
    char* to = digits.data();
    for (const auto& [start, length] : {std::pair{0U, 8U}, {9U, 4U}, {14U, 4U}, {19U, 4U}, {24U, 12U}}) {
      to += text.copy(to, length, start);
    }
  } else if (text.size() == digits.size()) {
    text.copy(digits.data(), digits.size());
  } else {
    return Refusal(refusal);
  }
  std::array<char, uuid_bytes> bytes{};
  if (!decode_hex({digits.data(), digits.size()}, bytes.data())) return Refusal(refusal);
  batch.append_bytes({bytes.data(), bytes.size()});
  return {};
}

}  // namespace xasink::schema
