#include "src/sources/refuse.hpp"

#include "schema/parse_value.hpp"

namespace xasink::sources {

namespace {

std::string prefix(const Place& place) { return place.file + ':' + std::to_string(place.line) + ": "; }

ErrorDetails details(std::string hint) {
  ErrorDetails details;
  details.category = Category::data;
  details.session_usable = true;  // nothing of the record has been sent anywhere
  details.branch_usable = true;
  details.hint = std::move(hint);
  return details;
}

}  // namespace

void refuse_record(const Place& place, const std::string& reason, std::string hint) {
  throw DataError(prefix(place) + reason, details(std::move(hint)), {place.file, place.line, {}, {}});
}

void refuse_value(const Place& place, const std::string& column, std::optional<std::string_view> value,
                  const std::string& reason) {
  const std::string shown = value ? schema::shorten(*value) : std::string();
  const std::string what = value ? "column \"" + column + "\": \"" + shown + "\" " : "column \"" + column + "\" ";
  throw DataError(prefix(place) + what + reason, details("correct the value, or change the column to take it"),
                  {place.file, place.line, column, value ? shown : "NULL"});
}

std::string column_names(const TableSchema& schema) {
  std::string names;
  for (const Column& column : schema.columns) {
    if (!names.empty()) names += ", ";
    names += column.name;
  }
  return names;
}

std::string in_quotes(std::string_view name) { return '"' + schema::shorten(name) + '"'; }

}  // namespace xasink::sources
