// RFC 4180 records to rows, strictly: what is no well-formed CSV is refused, not guessed at. Stands on libcsv.
#pragma once

#include <csv.h>

#include <optional>
#include <string>
#include <vector>

#include "config/job_config.hpp"
#include "src/sources/record_parser.hpp"

namespace xasink::sources {

/// NULL is the empty field without quotes, or, if the job names a `null` text, the field of that text without quotes.
/// `""` is the empty text. Blanks belong to the field. Blank lines between records are left out, except in files of one
/// column, where they could be a row and are refused.
class CsvParser final : public RecordParser {
 public:
  /// \throws Error (configuration) for options that contradict each other
  explicit CsvParser(const config::FileSourceConfig& config);
  ~CsvParser() override;

  [[nodiscard]] LineEnds line_ends() const noexcept override { return LineEnds::lf_or_cr; }
  void bind(std::shared_ptr<const TableSchema> schema) override;
  void start_file() override;
  [[nodiscard]] bool needs_header() const noexcept override { return needs_header_; }
  void resume() noexcept override;
  [[nodiscard]] Fed feed(const Piece& piece, const Place& place, RowBatch& batch) override;
  [[nodiscard]] Fed finish(const Place& place, RowBatch& batch) override;

 private:
  struct Field {
    std::size_t offset;  // in base_
    std::size_t length;
    bool null;
  };

  static void on_field(void* data, std::size_t length, void* self) noexcept;
  static void on_record(int terminator, void* self) noexcept;

  void begin_record();
  [[nodiscard]] Fed end_record(const Place& place, RowBatch& batch);
  void append_row(const Place& place, RowBatch& batch);
  void split(std::string_view line);
  void keep_quoted_null_texts(std::string_view record);
  void map_fields(const std::string& where, const std::vector<std::string>& names);
  [[noreturn]] void refuse_malformed(const Place& place);
  [[nodiscard]] std::string_view text_of(const Field& field) const noexcept {
    return base_.substr(field.offset, field.length);
  }

  const config::FileSourceConfig config_;
  csv_parser csv_{};
  std::shared_ptr<const TableSchema> schema_;
  std::size_t field_count_ = 0;        // of the header or the job's `columns`
  std::vector<std::size_t> field_of_;  // by column
  bool needs_header_ = false;

  // The record being read. Its fields are appended only once it is whole: a record with a field too many is then
  // reported as that, and not as the misfit of some value that slid into the next column.
  std::string_view base_;  // the text of the fields: the line itself, or text_
  std::string text_;       // what libcsv made of the fields, one behind the other
  std::vector<Field> fields_;
  std::string raw_;          // with a null text: the pieces so far of a record of several
  std::size_t bytes_ = 0;    // fed so far
  std::uint64_t lines_ = 0;  // ended so far
  bool open_ = false;        // begun and not yet ended
  bool ended_ = false;       // libcsv has said so
  bool null_text_seen_ = false;
};

}  // namespace xasink::sources
