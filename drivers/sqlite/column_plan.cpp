#include "drivers/sqlite/column_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "drivers/sqlite/dialect.hpp"
#include "schema/calendar.hpp"
#include "schema/format_value.hpp"
#include "schema/parse_value.hpp"

namespace xasink::sqlite {
namespace {

constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;
constexpr int exact_digits = 15;
// Below 10^-290 a double of 15 digits may be denormal, and lose some of them.
constexpr std::size_t most_decimals = 290;

constexpr const char* rounds =
    "has more digits than the column's affinity keeps; declare the column TEXT or decimal_text";
constexpr const char* zero_byte = "has a zero byte, which ends a text for SQLite's functions";

bool digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Whether a canonical decimal is kept as a double: at most 15 digits between the first and the last that matter.
bool fits_double(std::string_view text) noexcept {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) {
    while (text.ends_with('0')) text.remove_suffix(1);
    if (text.size() - point > most_decimals) return false;
  }
  int digits = 0;
  for (const char c : text) {
    // Zeros in front don't count; zeros at the end of an integer do.
    if (digit(c) && (digits > 0 || c != '0')) ++digits;
  }
  return digits <= exact_digits;
}

/// Whether a canonical decimal is an integer of 64 bits.
bool fits_int64(std::string_view text) noexcept {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.find('.') != std::string_view::npos) return false;  // SQLite reads it as a double, zeros or not
  constexpr std::string_view largest = "9223372036854775807";
  constexpr std::string_view smallest = "9223372036854775808";
  if (text.size() != largest.size()) return text.size() < largest.size();
  return text <= (negative ? smallest : largest);
}

/// Whether NUMERIC affinity would take the text for a number: blanks, sign, digits with a point, exponent, blanks.
bool looks_like_number(std::string_view text) noexcept {
  const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const auto skip_digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && digit(text[at])) ++at;
    return at - from;
  };
  std::size_t digits = skip_digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (skip_digits() == 0) return false;
  }
  return at == text.size();
}

/// No value of the column's type is refused.
bool holds_all(Binding binding) noexcept {
  return binding == Binding::integer || binding == Binding::time || binding == Binding::bytes ||
         binding == Binding::decimal_text || binding == Binding::uuid;
}

bool is_number(TypeKind kind) noexcept { return kind <= TypeKind::decimal || kind == TypeKind::boolean; }

[[noreturn]] void refuse_column(const TableSchema& schema, const std::string& column, const std::string& why,
                                const std::string& hint) {
  throw Error(Category::preflight, "column " + column + " of table " + schema.table + " " + why, hint);
}

Binding text_binding(const TableSchema& schema, const Column& column, const TableColumn& found, bool strict) {
  const Affinity affinity = affinity_of(found.declared, strict);
  if (affinity == Affinity::text || affinity == Affinity::none) return Binding::text;
  if (is_number(column_type_of(found.declared, strict).kind)) {
    refuse_column(schema, column.name, "is declared " + found.declared + ", where SQLite turns '007' into 7",
                  "declare it TEXT, or give the column a type of numbers");
  }
  return Binding::text_not_number;
}

Binding binding_of(const TableSchema& schema, const Column& column, const TableColumn& found, bool strict) {
  const Affinity affinity = affinity_of(found.declared, strict);
  const bool real = affinity == Affinity::real;
  switch (column.type.kind) {
    case TypeKind::int8:
    case TypeKind::int16:
    case TypeKind::int32:
    case TypeKind::int64:
    case TypeKind::uint8:
    case TypeKind::uint16:
    case TypeKind::uint32:
    case TypeKind::boolean: return real ? Binding::integer_in_real : Binding::integer;
    case TypeKind::uint64: return real ? Binding::unsigned_in_real : Binding::unsigned_integer;
    case TypeKind::float32:
    case TypeKind::float64:
      if (affinity == Affinity::text) {
        refuse_column(schema, column.name,
                      "is declared " + found.declared + ", where SQLite rounds a double to 15 digits",
                      "declare it REAL");
      }
      return Binding::real;
    case TypeKind::decimal:
      if (real) return Binding::decimal_real;
      return affinity == Affinity::text || affinity == Affinity::none ? Binding::decimal_text
                                                                      : Binding::decimal_numeric;
    case TypeKind::text:
    case TypeKind::json: return text_binding(schema, column, found, strict);
    case TypeKind::bytes: return Binding::bytes;
    case TypeKind::date: return Binding::date;
    case TypeKind::time: return Binding::time;
    case TypeKind::timestamp: return Binding::timestamp;
    case TypeKind::timestamptz: return Binding::timestamptz;
    case TypeKind::uuid: return Binding::uuid;
  }
  throw Error(Category::internal, "a column type without a binding in SQLite");
}

/// Why SQLite can't hold the value as it is, to be put behind the value; null if it can. \pre the cell is not null
const char* refusal(Binding binding, const RowBatch& batch, const Cell& cell) noexcept {
  constexpr const char* no_year = "is outside of the years 1 to 9999";
  switch (binding) {
    case Binding::integer:
    case Binding::time:
    case Binding::bytes:
    case Binding::decimal_text:
    case Binding::uuid: return nullptr;
    case Binding::integer_in_real: return cell.i >= -exact_in_double && cell.i <= exact_in_double ? nullptr : rounds;
    case Binding::unsigned_in_real: return cell.u <= std::uint64_t{exact_in_double} ? nullptr : rounds;
    case Binding::unsigned_integer:
      return cell.u <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}
                 ? nullptr
                 : "is larger than 9223372036854775807, and SQLite's integers are signed";
    case Binding::real: return std::isnan(cell.d) ? "is not a number, and SQLite would store NULL" : nullptr;
    case Binding::text:
      return std::memchr(batch.bytes_of(cell).data(), 0, cell.length) == nullptr ? nullptr : zero_byte;
    case Binding::text_not_number:
      if (std::memchr(batch.bytes_of(cell).data(), 0, cell.length) != nullptr) return zero_byte;
      return looks_like_number(batch.bytes_of(cell))
                 ? "looks like a number, and SQLite would store it as one in this column; declare the column TEXT"
                 : nullptr;
    case Binding::decimal_numeric:
      return fits_int64(batch.bytes_of(cell)) || fits_double(batch.bytes_of(cell)) ? nullptr : rounds;
    case Binding::decimal_real: return fits_double(batch.bytes_of(cell)) ? nullptr : rounds;
    case Binding::date: return cell.i >= schema::min_days && cell.i <= schema::max_days ? nullptr : no_year;
    case Binding::timestamp:
    case Binding::timestamptz: return cell.i >= schema::min_micros && cell.i <= schema::max_micros ? nullptr : no_year;
  }
  return nullptr;
}

std::string shown(const RowBatch& batch, const ColumnType& type, const Cell& cell) {
  switch (type.kind) {
    // Refused for lying outside of the calendar, so there is no date to show.
    case TypeKind::date:
    case TypeKind::timestamp:
    case TypeKind::timestamptz: return std::to_string(cell.i);
    default: {
      std::string text;
      schema::append_value(text, batch, type, cell);
      return schema::shorten(text);
    }
  }
}

/// \throws DataError always
[[noreturn]] void refuse_value(const RowBatch& batch, std::size_t row, std::size_t column, const char* why) {
  const Column& target = batch.schema().columns[column];
  const Cell& cell = batch.row(row)[column];
  DataError::Origin origin = origin_of(batch, row);
  origin.column = target.name;
  origin.value = cell.null != 0 ? "NULL" : shown(batch, target.type, cell);
  ErrorDetails details;
  details.category = Category::data;
  details.session_usable = true;
  details.hint = "correct the value, or change the column to take it";
  const std::string message = origin_prefix(batch, row) + "column " + target.name + " of table " +
                              batch.schema().table + ": " + origin.value + " " + why;
  throw DataError(message, std::move(details), std::move(origin));
}

}  // namespace

std::optional<TableInfo> table_info(const Connection& connection, std::string_view table) {
  const std::string name = table_name(table);
  TableInfo info;
  Statement list = connection.prepare("SELECT type, strict FROM pragma_table_list(?1) WHERE schema = 'main'");
  list.bind(1, name);
  if (!list.step()) return std::nullopt;
  info.type = list.text(0);
  info.strict = list.integer(1) != 0;
  Statement columns =
      connection.prepare("SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?1, 'main') ORDER BY cid");
  columns.bind(1, name);
  while (columns.step()) {
    info.columns.push_back(
        {columns.text(0), columns.text(1), columns.integer(2) != 0, columns.integer(3) != 0, columns.integer(4) == 0});
  }
  return info;
}

std::vector<ColumnPlan> plan_columns(const Connection& connection, const TableSchema& schema) {
  const auto info = table_info(connection, schema.table);
  if (!info) {
    throw Error(Category::preflight, connection.path().string() + " has no table " + schema.table,
                "make it, or set create: true on the target");
  }
  std::vector<ColumnPlan> plan;
  plan.reserve(schema.columns.size());
  for (const Column& column : schema.columns) {
    const auto found = std::find_if(info->columns.begin(), info->columns.end(),
                                    [&](const TableColumn& candidate) { return candidate.name == column.name; });
    if (found == info->columns.end()) {
      refuse_column(schema, column.name, "does not exist", "correct the name, or leave the column out");
    }
    if (!found->writable) refuse_column(schema, column.name, "is generated", "leave the column out");
    plan.push_back({binding_of(schema, column, *found, info->strict), !found->not_null && !found->primary_key});
  }
  return plan;
}

void check_values(const std::vector<ColumnPlan>& plan, const RowBatch& batch) {
  for (std::size_t column = 0; column < plan.size(); ++column) {
    const auto [binding, nullable] = plan[column];
    const bool any_value = holds_all(binding);
    if (any_value && nullable) continue;
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const Cell& cell = batch.row(row)[column];
      if (cell.null != 0) {
        if (!nullable) refuse_value(batch, row, column, "is not taken by a NOT NULL column or a key");
      } else if (!any_value) {
        if (const char* why = refusal(binding, batch, cell)) refuse_value(batch, row, column, why);
      }
    }
  }
}

std::string origin_prefix(const RowBatch& batch, std::size_t row) {
  const DataError::Origin origin = origin_of(batch, row);
  if (origin.file.empty()) return {};
  return origin.file + (origin.line == 0 ? ": " : ":" + std::to_string(origin.line) + ": ");
}

DataError::Origin origin_of(const RowBatch& batch, std::size_t row) {
  DataError::Origin origin;
  if (batch.file() != nullptr) origin.file = *batch.file();
  origin.line = batch.line(row);
  return origin;
}

}  // namespace xasink::sqlite
