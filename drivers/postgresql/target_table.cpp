#include "drivers/postgresql/target_table.hpp"

#include <stdexcept>
#include <utility>

#include "drivers/postgresql/dialect.hpp"
#include "xasink/error.hpp"

namespace xasink::postgresql {
namespace {

std::optional<WireForm> form_of(std::string_view receive) {
  constexpr std::pair<std::string_view, WireForm> kForms[] = {
      {"boolrecv", WireForm::boolean},
      {"int2recv", WireForm::int2},
      {"int4recv", WireForm::int4},
      {"int8recv", WireForm::int8},
      {"float4recv", WireForm::float4},
      {"float8recv", WireForm::float8},
      {"numeric_recv", WireForm::numeric},
      {"textrecv", WireForm::text},
      {"varcharrecv", WireForm::text},
      {"bpcharrecv", WireForm::text},
      {"enum_recv", WireForm::text},
      {"xml_recv", WireForm::text},
      {"bytearecv", WireForm::bytea},
      {"date_recv", WireForm::date},
      {"time_recv", WireForm::time},
      {"timestamp_recv", WireForm::timestamp},
      {"timestamptz_recv", WireForm::timestamptz},
      {"uuid_recv", WireForm::uuid},
      {"json_recv", WireForm::json},
      {"jsonb_recv", WireForm::jsonb},
  };
  for (const auto& [name, form] : kForms) {
    if (name == receive) return form;
  }
  return std::nullopt;
}

// What a type modifier says: numeric packs precision and an 11-bit signed scale behind an offset of 4, varchar and char
// a length behind the same offset, the time types their digits bare.
void apply_modifier(TargetColumn& column, std::string_view receive, int modifier) {
  if (modifier < 0) return;
  if (column.form == WireForm::numeric && modifier >= 4) {
    column.precision = ((modifier - 4) >> 16) & 0xffff;
    const int scale = (modifier - 4) & 0x7ff;
    column.scale = (scale ^ 1024) - 1024;
    // numeric(3,-2) rounds to hundreds; no type of ours says that.
    if (column.scale < 0) column.form.reset();
  } else if ((receive == "varcharrecv" || receive == "bpcharrecv") && modifier >= 4) {
    column.max_length = static_cast<std::uint32_t>(modifier - 4);
  } else if (column.form == WireForm::time || column.form == WireForm::timestamp ||
             column.form == WireForm::timestamptz) {
    column.fraction = modifier;
  }
}

bool is_true(const std::optional<std::string>& field) { return field == "t"; }

std::string kind_in_words(char kind) {
  switch (kind) {
    case 'v': return "a view";
    case 'm': return "a materialized view";
    case 'f': return "a foreign table, which two-phase commit can't reach";
    case 'S': return "a sequence";
    default: return "not a table";  // every other relkind; the letters are the server's, not an enum of ours
  }
}

}  // namespace

const TargetColumn* TargetTable::find(std::string_view name) const noexcept {
  for (const TargetColumn& column : columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

std::string table_query(std::string_view table) {
  return "SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname), c.relname, c.relkind "
         "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
         "WHERE c.oid = pg_catalog.to_regclass(" +
         quote_literal(table) + ")";
}

std::optional<TargetTable> read_table(const TextRows& rows, const std::string& resource) {
  if (rows.empty()) return std::nullopt;
  TargetTable table;
  table.qualified = rows[0].at(0).value_or("");
  table.relname = rows[0].at(1).value_or("");
  table.kind = rows[0].at(2).value_or(" ").at(0);
  if (table.kind != 'r' && table.kind != 'p') {
    throw Error(Category::preflight, resource + ": " + table.qualified + " is " + kind_in_words(table.kind),
                "name a table, regular or partitioned");
  }
  return table;
}

std::string columns_query(const TargetTable& table) {
  // A domain is followed down to its base type, collecting NOT NULL and defaults on the way.
  return "WITH RECURSIVE chain AS ("
         " SELECT a.attnum, a.atttypid AS typid, a.atttypmod AS typmod, a.attnotnull AS required,"
         "  a.atthasdef OR a.attidentity <> '' AS filled"
         " FROM pg_catalog.pg_attribute a"
         " WHERE a.attrelid = " +
         quote_literal(table.qualified) +
         "::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped"
         " UNION ALL"
         " SELECT c.attnum, t.typbasetype, t.typtypmod, c.required OR t.typnotnull, c.filled OR t.typdefault IS NOT "
         "NULL"
         " FROM chain c JOIN pg_catalog.pg_type t ON t.oid = c.typid WHERE t.typtype = 'd')"
         "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),"
         " CASE WHEN p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace THEN p.proname END,"
         " c.typmod, c.required, c.filled, a.attgenerated = '' AND a.attidentity <> 'a' "
         "FROM chain c JOIN pg_catalog.pg_type t ON t.oid = c.typid AND t.typtype <> 'd'"
         " JOIN pg_catalog.pg_attribute a ON a.attrelid = " +
         quote_literal(table.qualified) +
         "::pg_catalog.regclass AND a.attnum = c.attnum"
         " LEFT JOIN pg_catalog.pg_proc p ON p.oid = t.typreceive "
         "ORDER BY a.attnum";
}

void read_columns(const TextRows& rows, TargetTable& table) {
  for (const auto& row : rows) {
    TargetColumn column;
    column.name = row.at(0).value_or("");
    column.type = row.at(1).value_or("");
    const std::string receive = row.at(2).value_or("");
    column.form = form_of(receive);
    apply_modifier(column, receive, std::stoi(row.at(3).value_or("-1")));
    column.required = is_true(row.at(4));
    column.filled = is_true(row.at(5));
    column.writable = is_true(row.at(6));
    table.columns.push_back(std::move(column));
  }
}

ColumnType column_type(const TargetColumn& column) {
  switch (column.form.value()) {
    case WireForm::boolean: return {.kind = TypeKind::boolean};
    case WireForm::int2: return {.kind = TypeKind::int16};
    case WireForm::int4: return {.kind = TypeKind::int32};
    case WireForm::int8: return {.kind = TypeKind::int64};
    case WireForm::float4: return {.kind = TypeKind::float32};
    case WireForm::float8: return {.kind = TypeKind::float64};
    case WireForm::numeric: return {.kind = TypeKind::decimal, .precision = column.precision, .scale = column.scale};
    case WireForm::text: return {.kind = TypeKind::text, .max_length = column.max_length};
    case WireForm::bytea: return {.kind = TypeKind::bytes};
    case WireForm::date: return {.kind = TypeKind::date};
    case WireForm::time: return {.kind = TypeKind::time};
    case WireForm::timestamp: return {.kind = TypeKind::timestamp};
    case WireForm::timestamptz: return {.kind = TypeKind::timestamptz};
    case WireForm::uuid: return {.kind = TypeKind::uuid};
    case WireForm::json:
    case WireForm::jsonb: return {.kind = TypeKind::json};
  }
  throw Error(Category::internal, "unknown wire form");
}

}  // namespace xasink::postgresql
