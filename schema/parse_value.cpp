#include "schema/parse_value.hpp"

#include <limits>

#include "schema/parsers.hpp"

namespace xasink::schema {

Refusal append_text(RowBatch& batch, const Column& column, std::string_view text) {
  const ColumnType& type = column.type;
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) return "is longer than 4 GiB";
  if (text.empty() && type.kind != TypeKind::text) return "is empty, which is no " + to_string(type);
  switch (type.kind) {
    case TypeKind::int8:
    case TypeKind::int16:
    case TypeKind::int32:
    case TypeKind::int64:
    case TypeKind::uint8:
    case TypeKind::uint16:
    case TypeKind::uint32:
    case TypeKind::uint64: return append_integer(batch, type.kind, text);
    case TypeKind::float32:
    case TypeKind::float64: return append_float(batch, type.kind, text);
    case TypeKind::decimal: return append_decimal(batch, type, text);
    case TypeKind::text: return append_string(batch, type, text);
    case TypeKind::bytes: return append_binary(batch, type, text);
    case TypeKind::boolean: return append_boolean(batch, text);
    case TypeKind::date: return append_date(batch, text);
    case TypeKind::time: return append_time(batch, text);
    case TypeKind::timestamp: return append_timestamp(batch, text);
    case TypeKind::timestamptz: return append_timestamptz(batch, text);
    case TypeKind::uuid: return append_uuid(batch, text);
    case TypeKind::json: return append_json(batch, text);
  }
  return "belongs to a column of an unknown type";
}

Refusal append_null(RowBatch& batch, const Column& column) {
  if (!column.nullable) return "is NULL, but the column is NOT NULL";
  batch.append_null();
  return {};
}

Refusal append_boolean(RowBatch& batch, std::string_view text) {
  for (const std::string_view word : {"true", "t", "1", "yes", "y", "on"}) {
    if (is_word(text, word)) {
      batch.append_int(1);
      return {};
    }
  }
  for (const std::string_view word : {"false", "f", "0", "no", "n", "off"}) {
    if (is_word(text, word)) {
      batch.append_int(0);
      return {};
    }
  }
  return "is not a boolean (true or false, t/f, yes/no, y/n, on/off, 1/0)";
}

}  // namespace xasink::schema
