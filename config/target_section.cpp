// The `targets:` section.
#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "config/sections.hpp"
#include "xasink/schema.hpp"

namespace xasink::config {
namespace {

constexpr std::array<std::string_view, 8> keys{"url",      "table",  "mode",    "writers",
                                               "protocol", "create", "columns", "primary_key"};
constexpr std::array<std::string_view, 3> column_keys{"name", "type", "nullable"};
constexpr std::array<std::string_view, 2> protocols{"prepared", "staged"};
constexpr unsigned most_writers = 64;

bool has_scheme(std::string_view url) {
  const std::size_t colon = url.find(':');
  return colon != std::string_view::npos && colon > 0 && std::isalpha(static_cast<unsigned char>(url.front())) != 0 &&
         std::ranges::all_of(url.substr(0, colon),
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.'; });
}

/// Never shows the URL: it may hold a password.
std::string read_url(const Value& value) {
  std::string url = value.name();
  if (!has_scheme(url)) {
    value.refuse("is not a URL",
                 "write `postgresql://user@host/database` or `sqlite:///path`, and a password as `${NAME}`");
  }
  return url;
}

/// Cuts `word` off the end, in any case, with the blanks before it. \returns whether it was there
bool cut_word(std::string_view& text, std::string_view word) {
  const auto trim = [&] {
    while (text.ends_with(' ')) text.remove_suffix(1);
  };
  trim();
  if (text.size() <= word.size() || text[text.size() - word.size() - 1] != ' ') return false;
  const std::string_view end = text.substr(text.size() - word.size());
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (!std::ranges::equal(end, word, same)) return false;
  text.remove_suffix(word.size());
  trim();
  return true;
}

ColumnType read_type(const Value& value, std::string_view text) {
  if (const auto type = parse_column_type(text)) return *type;
  const bool cut = text.find('(') != std::string_view::npos && text.find(')') == std::string_view::npos;
  value.refuse(
      "is `" + value.shown() + "`, which is no column type",
      cut ? "put the type in double quotes; inside { } and [ ] a value ends at a comma"
          : "write int8 to int64, uint8 to uint64, float32, float64, decimal(p,s), text, text(n), bytes, boolean, "
            "date, time, timestamp, timestamptz, uuid, json or the SQL spelling, and `not null` behind it if so");
}

/// A column, and whether the file says that it takes NULL.
struct ReadColumn {
  Column column;
  bool nullable_written = false;
};

/// `bigint not null`
ReadColumn read_short_column(const std::string& name, const Value& value) {
  const std::string written = value.name();
  std::string_view text = written;
  ReadColumn result{{name, {}, true}, false};
  if (cut_word(text, "null")) {
    result.column.nullable = !cut_word(text, "not");
    result.nullable_written = result.column.nullable;
  }
  result.column.type = read_type(value, text);
  return result;
}

/// `{name: id, type: bigint, nullable: false}`
ReadColumn read_long_column(const Value& value) {
  const Section section(value, column_keys);
  const std::string name = section.require("name", "write `name: <column>`").name();
  const Value type = section.require("type", "write `type: bigint`, or another column type");
  ReadColumn result{{name, read_type(type, type.name()), true}, false};
  if (const auto nullable = section.find("nullable")) {
    result.column.nullable = nullable->boolean();
    result.nullable_written = result.column.nullable;
  }
  return result;
}

std::vector<ReadColumn> read_columns(const Value& value) {
  std::vector<ReadColumn> columns;
  if (value.is_map()) {
    for (const Entry& entry : value.entries()) columns.push_back(read_short_column(entry.key, entry.value));
    return columns;
  }
  std::set<std::string> seen;
  for (const Value& item : value.list()) {
    columns.push_back(read_long_column(item));
    if (!seen.insert(columns.back().column.name).second) {
      item.refuse("names a column that is in the list already", "name each column once");
    }
  }
  return columns;
}

/// A primary key takes no NULL, as in SQL; a column of it that says otherwise is a contradiction.
void apply_primary_key(const Value& value, TargetConfig& target, std::vector<ReadColumn>& columns) {
  target.primary_key = value.names();
  const std::vector<Value> items = value.list();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto is_named = [&](const ReadColumn& each) { return each.column.name == target.primary_key[i]; };
    const auto found = std::ranges::find_if(columns, is_named);
    if (found == columns.end()) {
      items[i].refuse("is `" + items[i].shown() + "`, which `columns` doesn't have", "spell it as `columns` does");
    }
    if (found->nullable_written) {
      items[i].refuse("is `" + items[i].shown() + "`, which `columns` lets be null", "make the column `not null`");
    }
    found->column.nullable = false;
  }
}

TargetConfig read_target(const Value& value) {
  const Section section(value, keys);
  TargetConfig target;
  target.line = value.line();
  target.url = read_url(section.require("url", "write `url: postgresql://user@host/database` or `sqlite:///path`"));
  target.table = section.require("table", "write `table: <name>`, or `<schema>.<name>`").name();
  if (const auto mode = section.find("mode"); mode && mode->text() != "insert") {
    mode->refuse("is `" + mode->shown() + "`, but rows can only be inserted", "write `mode: insert` or leave it out");
  }
  if (const auto writers = section.find("writers"))
    target.writers = static_cast<unsigned>(writers->whole(1, most_writers));
  if (const auto protocol = section.find("protocol")) {
    target.protocol = protocols.at(protocol->choice(protocols)) == "prepared" ? Protocol::prepared : Protocol::staged;
  }
  if (const auto create = section.find("create")) target.create = create->boolean();

  std::vector<ReadColumn> columns;
  if (const auto value_of_columns = section.find("columns")) {
    columns = read_columns(*value_of_columns);
  } else if (target.create) {
    section.self().refuse("has `create: true` but no `columns`",
                          "add `columns: {name: type, …}`, or make the table yourself");
  }
  if (const auto primary_key = section.find("primary_key")) {
    if (!target.create)
      primary_key->refuse("is given without `create: true`", "leave it out; the table has its own key");
    apply_primary_key(*primary_key, target, columns);
  }
  for (ReadColumn& each : columns) target.columns.push_back(std::move(each.column));
  return target;
}

}  // namespace

std::vector<TargetConfig> read_targets(const Value& value) {
  std::vector<TargetConfig> targets;
  for (const Value& item : value.list()) {
    TargetConfig target = read_target(item);
    const auto same = std::ranges::find_if(
        targets, [&](const TargetConfig& other) { return other.url == target.url && other.table == target.table; });
    if (same != targets.end()) {
      item.refuse("is the same table as the target in line " + std::to_string(same->line),
                  "name each table once; more `writers` load it in parallel");
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace xasink::config
