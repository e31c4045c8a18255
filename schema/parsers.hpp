// One parser per kind of value; private to schema/. All keep the contract of append_text (parse_value.hpp).
// \pre text is not empty, except for append_string; it is shorter than 4 GiB
#pragma once

#include <string_view>

#include "schema/parse_value.hpp"
#include "xasink/row_batch.hpp"

namespace xasink::schema {

Refusal append_integer(RowBatch& batch, TypeKind kind, std::string_view text);
Refusal append_float(RowBatch& batch, TypeKind kind, std::string_view text);
Refusal append_decimal(RowBatch& batch, const ColumnType& type, std::string_view text);
Refusal append_string(RowBatch& batch, const ColumnType& type, std::string_view text);
Refusal append_binary(RowBatch& batch, const ColumnType& type, std::string_view text);
Refusal append_boolean(RowBatch& batch, std::string_view text);
Refusal append_date(RowBatch& batch, std::string_view text);
Refusal append_time(RowBatch& batch, std::string_view text);
Refusal append_timestamp(RowBatch& batch, std::string_view text);
Refusal append_timestamptz(RowBatch& batch, std::string_view text);
Refusal append_uuid(RowBatch& batch, std::string_view text);
Refusal append_json(RowBatch& batch, std::string_view text);

/// True if text is `word` in any case. \pre word is lower case
[[nodiscard]] constexpr bool is_word(std::string_view text, std::string_view word) noexcept {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != word[i]) return false;
  }
  return true;
}

/// Why a text that is no plain number can't be stored in a number's column.
[[nodiscard]] Refusal refuse_number(std::string_view text);

}  // namespace xasink::schema
