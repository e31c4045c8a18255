#include "drivers/sqlite/dialect.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "xasink/error.hpp"

namespace xasink::sqlite {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// The word before a parenthesis, without spaces at the ends.
std::string_view base_word(std::string_view declared) {
  declared = declared.substr(0, declared.find('('));
  while (declared.ends_with(' ')) declared.remove_suffix(1);
  return declared;
}

/// SQLite's integers are 64 bits wide whatever the column is called; only names that say another width on purpose
/// count.
bool plain_integer(std::string_view word) {
  constexpr std::array words{"int", "integer", "bigint", "int8", "mediumint", "int64"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What declared_type() writes and parse_column_type() doesn't know.
std::optional<ColumnType> own_type(const std::string& declared) {
  if (declared == "json_text") return ColumnType{TypeKind::json};
  constexpr std::string_view decimal = "decimal_text";
  if (declared.starts_with(decimal)) return parse_column_type("decimal" + declared.substr(decimal.size()));
  return std::nullopt;
}

ColumnType by_affinity(std::string_view declared, Affinity affinity) {
  switch (affinity) {
    case Affinity::text: return {TypeKind::text};
    case Affinity::integer: return {TypeKind::int64};
    case Affinity::real: return {TypeKind::float64};
    case Affinity::numeric: return {TypeKind::decimal};
    // A column without a type keeps text as text; one that says BLOB means bytes.
    case Affinity::none: return {lower(declared).find("blob") == std::string::npos ? TypeKind::text : TypeKind::bytes};
  }
  return {TypeKind::text};
}

std::string with_length(std::string_view word, std::uint32_t length) {
  return length == 0 ? std::string(word) : std::string(word) + "(" + std::to_string(length) + ")";
}

[[noreturn]] void bad_table(std::string_view table, const char* why) {
  throw Error(Category::configuration, "the table name " + std::string(table) + " " + why,
              "write orders or \"Odd Name\"");
}

/// Takes one name, quoted or not, off the front.
std::string take_name(std::string_view table, std::string_view& rest) {
  std::string name;
  if (!rest.starts_with('"')) {
    const std::size_t end = std::min(rest.find('.'), rest.size());
    name = rest.substr(0, end);
    rest.remove_prefix(end);
    if (name.find('"') != std::string::npos) bad_table(table, "has a quote in the middle");
  } else {
    for (rest.remove_prefix(1);; rest.remove_prefix(1)) {
      if (rest.empty()) bad_table(table, "has no closing quote");
      if (rest.starts_with("\"\""))
        rest.remove_prefix(1);
      else if (rest.starts_with('"'))
        break;
      name += rest.front();
    }
    rest.remove_prefix(1);
  }
  if (name.empty()) bad_table(table, "has an empty part");
  return name;
}

}  // namespace

Affinity affinity_of(std::string_view declared, bool strict) {
  const std::string word = lower(declared);
  const auto has = [&](std::string_view part) { return word.find(part) != std::string::npos; };
  if (strict && word == "any") return Affinity::none;
  if (has("int")) return Affinity::integer;
  if (has("char") || has("clob") || has("text")) return Affinity::text;
  if (word.empty() || has("blob")) return Affinity::none;
  if (has("real") || has("floa") || has("doub")) return Affinity::real;
  return Affinity::numeric;
}

ColumnType column_type_of(std::string_view declared, bool strict) {
  const std::string word = lower(declared);
  if (plain_integer(base_word(word))) return {TypeKind::int64};
  if (word == "real") return {TypeKind::float64};  // eight bytes here, four in other databases
  if (const auto type = own_type(word)) return *type;
  if (const auto type = parse_column_type(word)) return *type;
  return by_affinity(declared, affinity_of(declared, strict));
}

std::string declared_type(const ColumnType& type) {
  switch (type.kind) {
    case TypeKind::int8: return "tinyint";
    case TypeKind::int16: return "smallint";
    case TypeKind::int32: return "int32";
    case TypeKind::int64: return "bigint";
    case TypeKind::uint8: return "uint8";
    case TypeKind::uint16: return "uint16";
    case TypeKind::uint32: return "uint32";
    case TypeKind::uint64: return "uint64";
    case TypeKind::float32: return "float32";
    case TypeKind::float64: return "double";
    case TypeKind::decimal:
      if (type.precision == 0) return "decimal_text";
      return "decimal_text(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
    case TypeKind::text: return with_length(type.max_length == 0 ? "text" : "varchar", type.max_length);
    case TypeKind::bytes: return with_length(type.max_length == 0 ? "blob" : "varbinary", type.max_length);
    case TypeKind::boolean: return "boolean";
    case TypeKind::date: return "date";
    case TypeKind::time: return "time";
    case TypeKind::timestamp: return "timestamp";
    case TypeKind::timestamptz: return "timestamptz";
    case TypeKind::uuid: return "uuid";
    case TypeKind::json: return "json_text";
  }
  throw Error(Category::internal, "a column type without a declared type in SQLite");
}

std::string quote(std::string_view identifier) {
  std::string out = "\"";
  for (const char c : identifier) {
    if (c == '"') out += '"';
    out += c;
  }
  return out += '"';
}

std::string table_name(std::string_view table) {
  std::string_view rest = table;
  std::string name = take_name(table, rest);
  if (rest.empty()) return name;
  if (!rest.starts_with('.')) bad_table(table, "goes on behind the closing quote");
  if (lower(name) != "main") bad_table(table, "is of a schema other than main, the only one an SQLite file has");
  rest.remove_prefix(1);
  name = take_name(table, rest);
  if (!rest.empty()) bad_table(table, "has too many parts");
  return name;
}

std::string insert_statement(const TableSchema& schema) {
  std::string sql = "INSERT OR ABORT INTO main." + quote(table_name(schema.table)) + " (";
  std::string values;
  for (const Column& column : schema.columns) {
    if (!values.empty()) {
      sql += ", ";
      values += ", ";
    }
    sql += quote(column.name);
    values += '?';
  }
  return sql + ") VALUES (" + values + ")";
}

std::string create_statement(const TableSchema& schema, const std::vector<std::string>& primary_key) {
  for (const std::string& key : primary_key) {
    if (!schema.find(key)) {
      throw Error(Category::configuration, "the primary key column " + key + " is none of table " + schema.table,
                  "name it among the columns");
    }
  }
  std::string sql = "CREATE TABLE IF NOT EXISTS main." + quote(table_name(schema.table)) + " (";
  bool first = true;
  bool row_id = false;
  for (const Column& column : schema.columns) {
    if (!first) sql += ", ";
    first = false;
    sql += quote(column.name) + " ";
    if (primary_key.size() == 1 && column.name == primary_key.front() && column.type.kind == TypeKind::int64) {
      sql += "INTEGER PRIMARY KEY";  // this very spelling makes the key the row id: no second tree to fill
      row_id = true;
    } else {
      sql += declared_type(column.type);
    }
    // A key is never NULL: SQLite would give a row id of its own choice, or keep the NULL.
    const bool key = std::find(primary_key.begin(), primary_key.end(), column.name) != primary_key.end();
    if (!column.nullable || key) sql += " NOT NULL";
  }
  if (!primary_key.empty() && !row_id) {
    sql += ", PRIMARY KEY (";
    for (const std::string& key : primary_key) sql += (&key == primary_key.data() ? "" : ", ") + quote(key);
    sql += ")";
  }
  return sql + ")";
}

const char* bookkeeping_statements() noexcept {
  return "CREATE TABLE IF NOT EXISTS main.xasink_markers ("
         " owner TEXT NOT NULL, checkpoint INTEGER NOT NULL, writer INTEGER NOT NULL, part INTEGER NOT NULL,"
         " epoch INTEGER NOT NULL, job TEXT NOT NULL, \"rows\" INTEGER NOT NULL, bytes INTEGER NOT NULL,"
         " written_at TEXT NOT NULL, PRIMARY KEY (owner, checkpoint, writer, part, epoch)) WITHOUT ROWID;"
         "CREATE TABLE IF NOT EXISTS main.xasink_epochs ("
         " owner TEXT NOT NULL PRIMARY KEY, job TEXT NOT NULL, epoch INTEGER NOT NULL) WITHOUT ROWID";
}

}  // namespace xasink::sqlite
