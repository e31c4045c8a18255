#include "src/sources/csv_parser.hpp"

#include <algorithm>
#include <new>

#include "schema/parse_value.hpp"

namespace xasink::sources {

namespace {

constexpr unsigned char options = CSV_STRICT | CSV_STRICT_FINI | CSV_EMPTY_IS_NULL;

int no_space(unsigned char /*character*/) { return 0; }

bool is_line_end(char c) { return c == '\n' || c == '\r' || c == '\0'; }

bool is_blank(std::string_view line) { return line.find_first_not_of("\r\n") == std::string_view::npos; }

std::string count(std::size_t n, const char* what) { return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s"); }

}  // namespace

CsvParser::CsvParser(const config::FileSourceConfig& config) : config_(config) {
  if (config_.delimiter == config_.quote || is_line_end(config_.delimiter) || is_line_end(config_.quote)) {
    throw Error(Category::configuration, "the source's delimiter and quote must differ, and neither may end a line",
                "correct source.delimiter or source.quote");
  }
  if (config_.header && !config_.columns.empty()) {
    throw Error(Category::configuration, "the source has both a header and columns", "remove one of them");
  }
  if (!config_.header && config_.columns.empty()) {
    throw Error(Category::configuration, "nothing names the fields of the source's files",
                "set `header: true` or list the `columns`");
  }
  if (csv_init(&csv_, options) != 0) throw std::bad_alloc();
  csv_set_space_func(&csv_, no_space);  // blanks belong to the field
  csv_set_delim(&csv_, static_cast<unsigned char>(config_.delimiter));
  csv_set_quote(&csv_, static_cast<unsigned char>(config_.quote));
}

CsvParser::~CsvParser() { csv_free(&csv_); }

void CsvParser::bind(std::shared_ptr<const TableSchema> schema) {
  schema_ = std::move(schema);
  if (!config_.header) map_fields("source.columns", config_.columns);
}

void CsvParser::start_file() {
  resume();
  needs_header_ = config_.header;
}

void CsvParser::resume() noexcept {
  // Without the strict options csv_fini always succeeds, and puts the parser back between records.
  csv_set_opts(&csv_, CSV_EMPTY_IS_NULL);
  csv_fini(&csv_, nullptr, nullptr, nullptr);
  csv_set_opts(&csv_, options);
  open_ = false;
}

Fed CsvParser::feed(const Piece& piece, const Place& place, RowBatch& batch) {
  if (!open_) {
    if (is_blank(piece.text)) {
      if (field_count_ == 1 && !needs_header_ && !piece.text.empty()) {
        refuse_record(place, "a blank line in a file of one column could be an empty value or nothing",
                      "remove the line, or write an empty text as \"\"");
      }
      return Fed::skipped;
    }
    begin_record();
  }
  if (bytes_ == 0 && piece.ends_line && piece.text.find(config_.quote) == std::string_view::npos) {
    split(piece.text);
    return end_record(place, batch);
  }
  bytes_ += piece.text.size();
  if (bytes_ > max_record_bytes) {
    refuse_record(place, "the record is longer than 64 MiB", "is a closing quote missing?");
  }
  // libcsv grows its buffer by this much at a time; a fixed step would copy a long field over and over.
  csv_set_blk_size(&csv_, std::max({std::size_t{1024}, piece.text.size(), csv_get_buffer_size(&csv_)}));
  if (csv_parse(&csv_, piece.text.data(), piece.text.size(), on_field, on_record, this) != piece.text.size()) {
    refuse_malformed(place);
  }
  if (config_.null_text && (!ended_ || !raw_.empty())) raw_.append(piece.text);
  if (!ended_) {
    if (piece.ends_line) ++lines_;
    return Fed::open;
  }
  if (null_text_seen_) keep_quoted_null_texts(raw_.empty() ? piece.text : std::string_view(raw_));
  base_ = text_;
  return end_record(place, batch);
}

Fed CsvParser::finish(const Place& place, RowBatch& batch) {
  if (open_) {
    if (csv_fini(&csv_, on_field, on_record, this) != 0) {
      refuse_record(place, "field " + std::to_string(fields_.size() + 1) +
                               " begins with a quote that is not closed by the end of the file",
                    "close the quote; a quote that belongs to the text is written twice inside quotes");
    }
    if (null_text_seen_) keep_quoted_null_texts(raw_);
    base_ = text_;
    return end_record(place, batch);
  }
  if (needs_header_) {
    throw Error(Category::configuration, place.file + " is empty: it should begin with a header",
                "write the header, or remove the file");
  }
  return Fed::skipped;
}

/// A record without quotes in one piece: nothing in it has a meaning but delimiters and the line's end, which memchr
/// finds several times faster than libcsv goes from byte to byte.
void CsvParser::split(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  base_ = line;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(line.find(config_.delimiter, begin), line.size());
    const std::string_view text = line.substr(begin, end - begin);
    fields_.push_back({begin, text.size(), config_.null_text ? text == *config_.null_text : text.empty()});
    if (end == line.size()) return;
    begin = end + 1;
  }
}

// Called through libcsv's C frames, which no exception may cross; the memory they need is bounded by max_record_bytes.
void CsvParser::on_field(void* data, std::size_t length, void* self) noexcept {
  auto& parser = *static_cast<CsvParser*>(self);
  const std::string_view text(data == nullptr ? "" : static_cast<const char*>(data), length);
  bool null = data == nullptr;  // empty and without quotes
  if (parser.config_.null_text) {
    null = text == *parser.config_.null_text;
    parser.null_text_seen_ |= null;
  }
  parser.fields_.push_back({parser.text_.size(), length, null});
  parser.text_.append(text);
}

void CsvParser::on_record(int /*terminator*/, void* self) noexcept { static_cast<CsvParser*>(self)->ended_ = true; }

void CsvParser::begin_record() {
  text_.clear();
  fields_.clear();
  raw_.clear();
  bytes_ = 0;
  lines_ = 0;
  open_ = true;
  ended_ = false;
  null_text_seen_ = false;
}

Fed CsvParser::end_record(const Place& place, RowBatch& batch) {
  open_ = false;
  if (needs_header_) {
    std::vector<std::string> names;
    for (const Field& field : fields_) names.emplace_back(text_of(field));
    map_fields(place.file, names);
    needs_header_ = false;
    return Fed::skipped;
  }
  append_row(place, batch);
  return Fed::row;
}

void CsvParser::append_row(const Place& place, RowBatch& batch) {
  if (fields_.size() != field_count_) {
    refuse_record(place,
                  "has " + count(fields_.size(), "field") +
                      (config_.header ? ", the header has " : ", source.columns has ") + std::to_string(field_count_),
                  "is there a delimiter or a line break in a field without quotes?");
  }
  for (std::size_t i = 0; i < field_of_.size(); ++i) {
    const Column& column = schema_->columns[i];
    const Field& field = fields_[field_of_[i]];
    if (field.null) {
      if (const auto reason = schema::append_null(batch, column); !reason.empty()) {
        refuse_value(place, column.name, std::nullopt, reason);
      }
    } else if (const auto reason = schema::append_text(batch, column, text_of(field)); !reason.empty()) {
      refuse_value(place, column.name, text_of(field), reason);
    }
  }
  batch.end_row(place.line);
}

/// libcsv doesn't tell whether a field had quotes unless it is empty, so the record, which it found well-formed, is
/// looked at again: a field that begins with a quote is not NULL.
void CsvParser::keep_quoted_null_texts(std::string_view record) {
  std::size_t at = 0;
  for (Field& field : fields_) {
    if (at < record.size() && record[at] == config_.quote) {
      field.null = false;
      for (++at; at < record.size(); ++at) {
        if (record[at] != config_.quote) continue;
        if (at + 1 == record.size() || record[at + 1] != config_.quote) break;
        ++at;
      }
    }
    at = record.find(config_.delimiter, at);
    if (at == std::string_view::npos) break;
    ++at;
  }
}

void CsvParser::map_fields(const std::string& where, const std::vector<std::string>& names) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  const std::string has = "table " + schema_->table + " has " + column_names(*schema_);
  field_of_.assign(schema_->columns.size(), none);
  for (std::size_t field = 0; field < names.size(); ++field) {
    const std::string number = std::to_string(field + 1);
    if (names[field].empty()) throw Error(Category::configuration, where + ": field " + number + " has no name", has);
    const auto column = schema_->find(names[field]);
    if (!column) {
      throw Error(Category::configuration,
                  where + ": field " + number + ' ' + in_quotes(names[field]) + " has no column: " + has,
                  "rename or remove the field, or add the column to the table");
    }
    if (field_of_[*column] != none) {
      throw Error(Category::configuration, where + ": two fields are named " + in_quotes(names[field]),
                  "rename or remove one of them");
    }
    field_of_[*column] = field;
  }
  for (std::size_t i = 0; i < field_of_.size(); ++i) {
    if (field_of_[i] != none) continue;
    throw Error(Category::configuration,
                where + ": column \"" + schema_->columns[i].name + "\" of table " + schema_->table + " has no field",
                "add the field to the file, or list the columns to write in the job's target");
  }
  field_count_ = names.size();
}

void CsvParser::refuse_malformed(const Place& place) {
  if (csv_error(&csv_) == CSV_ENOMEM) throw std::bad_alloc();
  std::string where = "field " + std::to_string(fields_.size() + 1);
  if (lines_ != 0) where += " (on line " + std::to_string(place.line + lines_) + ')';
  refuse_record(place,
                where + (csv_.quoted != 0 ? " has something between its closing quote and the delimiter"
                                          : " has a quote in it but does not begin with one"),
                "put the whole field in quotes, and write each quote inside it twice");
}

}  // namespace xasink::sources
