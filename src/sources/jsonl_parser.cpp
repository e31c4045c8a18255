#include "src/sources/jsonl_parser.hpp"

#include <new>

#include "schema/parse_value.hpp"

namespace xasink::sources {

static_assert(LineReader::padding >= simdjson::SIMDJSON_PADDING, "simdjson reads that far behind a line");

namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view blanks = " \t\r\n";

/// Tokens come with the blanks behind them.
std::string_view without_blanks_behind(std::string_view token) {
  return token.substr(0, token.find_last_not_of(blanks) + 1);
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

/// RFC 8259. simdjson checks numbers only when it converts them, which would round.
bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  std::size_t end = skip_digits(text, at);
  if (end == at || (text[at] == '0' && end > at + 1)) return false;
  at = end;
  if (at < text.size() && text[at] == '.') {
    end = skip_digits(text, ++at);
    if (end == at) return false;
    at = end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    end = skip_digits(text, at);
    if (end == at) return false;
    at = end;
  }
  return at == text.size();
}

bool takes_numbers(TypeKind kind) {
  switch (kind) {
    case TypeKind::int8:
    case TypeKind::int16:
    case TypeKind::int32:
    case TypeKind::int64:
    case TypeKind::uint8:
    case TypeKind::uint16:
    case TypeKind::uint32:
    case TypeKind::uint64:
    case TypeKind::float32:
    case TypeKind::float64:
    case TypeKind::decimal:
    case TypeKind::json: return true;
    case TypeKind::text:
    case TypeKind::bytes:
    case TypeKind::boolean:
    case TypeKind::date:
    case TypeKind::time:
    case TypeKind::timestamp:
    case TypeKind::timestamptz:
    case TypeKind::uuid: return false;
  }
  return false;
}

[[noreturn]] void refuse_kind(const Place& place, const Column& column, std::string_view token, const char* kind) {
  refuse_value(place, column.name, token,
               std::string("is ") + kind + ", which a column of type " + to_string(column.type) + " does not take");
}

[[noreturn]] void refuse_line(const Place& place, simdjson::error_code error) {
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  refuse_record(place, std::string("the line is no JSON object: ") + simdjson::error_message(error),
                "write one JSON object a line, in UTF-8");
}

template <typename T>
T take(simdjson::simdjson_result<T>&& result, const Place& place) {
  T value;
  if (const auto error = std::move(result).get(value); error != simdjson::SUCCESS) refuse_line(place, error);
  return value;
}

}  // namespace

void JsonlParser::bind(std::shared_ptr<const TableSchema> schema) {
  schema_ = std::move(schema);
  values_.assign(schema_->columns.size(), {Value::State::missing, {}});
  expected_.clear();
}

Fed JsonlParser::feed(const Piece& piece, const Place& place, RowBatch& batch) {
  if (partial_.empty() && piece.ends_line) {
    return take_line(piece.text, piece.text.size() + LineReader::padding, place, batch);
  }
  if (partial_.size() + piece.text.size() > max_record_bytes) {
    refuse_record(place, "the line is longer than 64 MiB", "is a line feed missing between objects?");
  }
  partial_.append(piece.text);
  if (!piece.ends_line) return partial_.empty() ? Fed::skipped : Fed::open;
  return finish(place, batch);
}

Fed JsonlParser::finish(const Place& place, RowBatch& batch) {
  partial_.reserve(partial_.size() + LineReader::padding);
  const Fed fed = take_line(partial_, partial_.capacity(), place, batch);
  partial_.clear();
  return fed;
}

Fed JsonlParser::take_line(std::string_view line, std::size_t allocated, const Place& place, RowBatch& batch) {
  if (line.find_first_not_of(blanks) == std::string_view::npos) return Fed::skipped;
  collect(line, allocated, place);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Column& column = schema_->columns[i];
    const Value& value = values_[i];
    if (value.state == Value::State::text) {
      if (const auto reason = schema::append_text(batch, column, value.text); !reason.empty()) {
        refuse_value(place, column.name, value.text, reason);
      }
    } else if (const auto reason = schema::append_null(batch, column); !reason.empty()) {
      refuse_value(place, column.name, std::nullopt,
                   value.state == Value::State::missing ? "is missing from the object: it " + reason : reason);
    }
  }
  batch.end_row(place.line);
  return Fed::row;
}

/// Fills values_ from the line.
void JsonlParser::collect(std::string_view line, std::size_t allocated, const Place& place) {
  for (Value& value : values_) value = {Value::State::missing, {}};
  auto document = take(json_.iterate(line.data(), line.size(), allocated), place);
  ondemand::json_type type{};
  if (const auto error = document.type().get(type); error != simdjson::SUCCESS) refuse_line(place, error);
  if (type != ondemand::json_type::object) refuse_record(place, "the line is no JSON object but another value", "write one object a line");
  auto object = take(document.get_object(), place);
  std::size_t position = 0;
  for (auto item : object) {
    auto field = take(std::move(item), place);
    const std::string_view key = take(field.unescaped_key(), place);
    Value& value = values_[column_of(key, position, place)];
    if (value.state != Value::State::missing)
      refuse_record(place, "key " + in_quotes(key) + " appears twice in the object", "keep one of the two");
    value = value_for(schema_->columns[expected_[position]], field.value(), place);
    ++position;
  }
  const char* rest = nullptr;
  if (document.current_location().get(rest) == simdjson::SUCCESS) {
    refuse_record(place, "something follows the JSON object on its line", "write one object a line");
  }
}

/// Column of the key at a place in the object; remembers it for the next line.
std::size_t JsonlParser::column_of(std::string_view key, std::size_t position, const Place& place) {
  if (position < expected_.size() && schema_->columns[expected_[position]].name == key) return expected_[position];
  const auto column = schema_->find(key);
  if (!column) {
    refuse_record(
        place, "key " + in_quotes(key) + " has no column: table " + schema_->table + " has " + column_names(*schema_),
        "rename or remove the key, or add the column to the table");
  }
  if (position < expected_.size()) {
    expected_[position] = *column;
  } else {
    expected_.push_back(*column);
  }
  return *column;
}

JsonlParser::Value JsonlParser::value_for(const Column& column, ondemand::value value, const Place& place) {
  using State = Value::State;
  const TypeKind kind = column.type.kind;
  const bool as_written = kind == TypeKind::json;
  switch (take(value.type(), place)) {
    case ondemand::json_type::number: {
      const std::string_view token = without_blanks_behind(value.raw_json_token());
      if (!is_json_number(token)) refuse_value(place, column.name, token, "is no JSON number");
      if (!takes_numbers(kind)) refuse_kind(place, column, token, "a number");
      return {State::text, token};
    }
    case ondemand::json_type::string: {
      const std::string_view token = without_blanks_behind(value.raw_json_token());
      const std::string_view content = take(value.get_string(), place);
      return {State::text, as_written ? token : content};
    }
    case ondemand::json_type::boolean: {
      const bool truth = take(value.get_bool(), place);
      const std::string_view token = truth ? "true" : "false";
      if (kind != TypeKind::boolean && !as_written) refuse_kind(place, column, token, "a boolean");
      return {State::text, token};
    }
    case ondemand::json_type::null:
      if (!take(value.is_null(), place)) refuse_line(place, simdjson::N_ATOM_ERROR);
      return {State::null, {}};
    case ondemand::json_type::array: {
      auto array = take(value.get_array(), place);
      const std::string_view text = without_blanks_behind(take(array.raw_json(), place));
      if (!as_written) refuse_kind(place, column, text, "an array");
      return {State::text, text};
    }
    case ondemand::json_type::object: {
      auto object = take(value.get_object(), place);
      const std::string_view text = without_blanks_behind(take(object.raw_json(), place));
      if (!as_written) refuse_kind(place, column, text, "an object");
      return {State::text, text};
    }
  }
  refuse_line(place, simdjson::TAPE_ERROR);
}

}  // namespace xasink::sources
