#include "schema/format_value.hpp"

#include <array>
#include <charconv>

#include "schema/calendar.hpp"
#include "schema/hex.hpp"

namespace xasink::schema {
namespace {

// Room for any number, time and UUID.
using Buffer = std::array<char, 64>;

template <typename Number>
void append_number(std::string& out, Number value) {
  Buffer buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  static_cast<void>(error);  // the shortest form of any number fits
  out.append(buffer.data(), end);
}

void append_calendar(std::string& out, std::int64_t value, char* (*format)(char*, std::int64_t)) {
  Buffer buffer;
  out.append(buffer.data(), format(buffer.data(), value));
}

}  // namespace

void append_value(std::string& out, const RowBatch& batch, const ColumnType& type, const Cell& cell) {
  switch (type.kind) {
    case TypeKind::int8:
    case TypeKind::int16:
    case TypeKind::int32:
    case TypeKind::int64:
    case TypeKind::uint8:
    case TypeKind::uint16:
    case TypeKind::uint32: return append_number(out, cell.i);
    case TypeKind::uint64: return append_number(out, cell.u);
    case TypeKind::float32: return append_number(out, static_cast<float>(cell.d));
    case TypeKind::float64: return append_number(out, cell.d);
    case TypeKind::decimal:
    case TypeKind::text:
    case TypeKind::json: out += batch.bytes_of(cell); return;
    case TypeKind::bytes: return append_hex(out += "\\x", batch.bytes_of(cell));
    case TypeKind::boolean: out += cell.i != 0 ? "true" : "false"; return;
    case TypeKind::date: return append_calendar(out, cell.i, format_date);
    case TypeKind::time: return append_calendar(out, cell.i, format_time);
    case TypeKind::timestamp: return append_calendar(out, cell.i, format_timestamp);
    case TypeKind::timestamptz:
      append_calendar(out, cell.i, format_timestamp);
      out += "+00:00";
      return;
    case TypeKind::uuid: {
      Buffer buffer;
      out.append(buffer.data(), format_uuid(buffer.data(), batch.bytes_of(cell)));
      return;
    }
  }
}

}  // namespace xasink::schema
