#include "src/sources/file_source.hpp"

#include <algorithm>
#include <thread>

#include "src/sources/csv_parser.hpp"
#include "src/sources/jsonl_parser.hpp"

namespace xasink::sources {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t enough_arena = std::size_t{1} << 20;
constexpr std::size_t probe_bytes = 16 * 1024;  // a header is short
constexpr unsigned records_between_clocks = 256;
constexpr milliseconds growth_poll{20};
constexpr milliseconds listing_poll{250};

std::unique_ptr<RecordParser> make_parser(const config::FileSourceConfig& config) {
  switch (config.format) {
    case config::FileFormat::csv: return std::make_unique<CsvParser>(config);
    case config::FileFormat::jsonl: return std::make_unique<JsonlParser>();
  }
  throw Error(Category::internal, "unknown file format");
}

void refuse_followed_gzip(const InputFile& file) {
  if (!file.compressed()) return;
  throw Error(Category::configuration, file.path() + " is compressed and can't be followed while it grows",
              "set `follow: false`, or write the file uncompressed");
}

[[noreturn]] void fail_changed(const std::string& file, const std::string& what) {
  throw Error(Category::preflight, "file " + file + ' ' + what,
              "restore it as it was, or start a new job; new rows belong behind the old ones");
}

}  // namespace

FileSource::FileSource(const config::FileSourceConfig& config, std::size_t buffer_bytes)
    : config_(config), parser_(make_parser(config)), reader_(buffer_bytes, parser_->line_ends()) {}

void FileSource::bind(std::shared_ptr<const TableSchema> schema) {
  parser_->bind(schema);
  schema_ = std::move(schema);
  files_ = list_files(config_.paths, config_.follow);
  check_headers();
}

/// So that the last of many files doesn't stop a job that has run for hours.
void FileSource::check_headers() {
  LineReader probe(probe_bytes, parser_->line_ends());
  for (const FileEntry& file : files_) {
    probe.open(file.name);
    if (config_.follow) refuse_followed_gzip(probe.file());
    parser_->start_file();
    static_cast<void>(feed_header(probe));
  }
  parser_->start_file();
}

/// \returns false if the header is not there yet (follow)
bool FileSource::feed_header(LineReader& reader) {
  RowBatch none(schema_);
  std::uint64_t lines = 1;
  while (parser_->needs_header()) {
    const Place place{reader.file().path(), lines};
    if (const auto piece = reader.next(config_.follow)) {
      static_cast<void>(parser_->feed(*piece, place, none));
      if (piece->ends_line) ++lines;
    } else if (config_.follow) {
      return false;
    } else {
      static_cast<void>(parser_->finish(place, none));
    }
  }
  return true;
}

ReadResult FileSource::read(RowBatch& batch, std::size_t max_rows, Deadline deadline) {
  require_bound();
  try {
    for (;;) {
      if (inside_record_) rewind_to_record();
      if (!reader_.is_open() && current_ < files_.size()) open_current();
      // Whether a later file exists must be known before the last look at this one: what its writer added before it
      // went on to the next is then seen.
      const bool last = current_ + 1 >= files_.size();
      if (reader_.is_open()) {
        if (!exhausted_) take_lines(batch, std::max<std::size_t>(max_rows, 1), deadline);
        if (!batch.empty()) return ReadResult::rows;
        if (!config_.follow || !last) {
          finish_current();
          continue;
        }
      }
      if (!config_.follow) return ReadResult::end;
      if (!await_more(deadline)) return ReadResult::idle;
    }
  } catch (...) {
    batch.drop_row();
    throw;
  }
}

/// Appends rows until the batch is full, the deadline has passed, or the file has no more for now.
void FileSource::take_lines(RowBatch& batch, std::size_t max_rows, Deadline deadline) {
  batch.set_file(file_name_);
  unsigned since_clock = 0;
  while (batch.rows() < max_rows && batch.arena().size() < enough_arena) {
    const auto piece = reader_.next(config_.follow);
    const Place place{*file_name_, record_line_};
    if (!piece) {
      if (config_.follow) return;
      inside_record_ = true;
      static_cast<void>(parser_->finish(place, batch));
      record_ended();
      exhausted_ = true;  // what is written behind a last line without end would continue it: it isn't read
      return;
    }
    inside_record_ = true;
    const Fed fed = parser_->feed(*piece, place, batch);
    if (piece->ends_line) ++line_;
    if (fed == Fed::open) continue;
    record_ended();
    if (++since_clock < records_between_clocks) continue;
    since_clock = 0;
    if (!batch.empty() && steady_clock::now() >= deadline) return;
  }
}

void FileSource::record_ended() noexcept {
  record_offset_ = reader_.offset();
  record_line_ = line_;
  inside_record_ = false;
}

void FileSource::rewind_to_record() {
  parser_->resume();
  if (record_offset_ == 0) parser_->start_file();
  reader_.seek(record_offset_);
  line_ = record_line_;
  inside_record_ = false;
}

void FileSource::open_current() {
  reader_.open(files_[current_].name);
  if (config_.follow) refuse_followed_gzip(reader_.file());
  file_name_ = std::make_shared<const std::string>(files_[current_].name);
  parser_->start_file();
  record_offset_ = 0;
  record_line_ = line_ = 1;
  inside_record_ = false;
  exhausted_ = false;
}

void FileSource::finish_current() {
  const InputFile& file = reader_.file();
  if (reader_.kept_back() || inside_record_) {  // only with follow; otherwise the end of the file has ended the record
    ErrorDetails details;
    details.category = Category::io;
    details.retryable = true;  // its writer may be about to complete it
    details.hint = "end its last line with a line feed; a file must be complete before the next one is begun";
    throw Error(*file_name_ + ':' + std::to_string(record_line_) + ": the file ends inside a record, but " +
                    files_[current_ + 1].name + " follows it already",
                std::move(details));
  }
  if (file.raw_size() != file.raw_offset()) {
    throw Error(Category::io,
                *file_name_ + " changed while it was read: " + std::to_string(file.raw_offset()) +
                    " bytes were read, it has " + std::to_string(file.raw_size()) + " now",
                "run the job when the file is complete, or set `follow: true`");
  }
  finished_.add({*file_name_, file.raw_offset()});
  reader_.close();
  ++current_;
}

/// At the end of the last file. \returns true if it has grown or a new file is there, false when the deadline passes
bool FileSource::await_more(Deadline deadline) {
  std::optional<Fingerprint> read;
  if (reader_.is_open()) read = reader_.file().fingerprint(reader_.file().raw_offset());
  for (;;) {
    if (read) {
      reader_.file().check_in_place();
      if (reader_.file().raw_size() > read->bytes) {
        // A file that was emptied and written anew between two looks has grown as well.
        if (reader_.file().fingerprint(read->bytes) == *read) return true;
        throw Error(Category::io, *file_name_ + " was overwritten while it is followed",
                    "put new rows behind the old ones, or into a new file whose name sorts behind it");
      }
    }
    const auto now = steady_clock::now();
    if (now >= next_listing_) {
      list_again(read ? *file_name_ : std::string());
      next_listing_ = now + listing_poll;
      if (current_ + (read ? 1 : 0) < files_.size()) return true;
    }
    if (now >= deadline) return false;
    std::this_thread::sleep_until(std::min(deadline, now + growth_poll));
  }
}

/// Lists the files anew and makes `begun`, or if it is empty the first one behind those finished, the current one.
/// \throws Error (preflight) if the files before it are not those finished, or if it is missing
void FileSource::list_again(const std::string& begun) {
  std::vector<FileEntry> files = list_files(config_.paths, config_.follow);
  const auto current = begun.empty() ? std::ranges::upper_bound(files, finished_.last(), {}, &FileEntry::name)
                                     : std::ranges::lower_bound(files, begun, {}, &FileEntry::name);
  finished_.check({files.begin(), current});
  if (!begun.empty() && (current == files.end() || current->name != begun)) {
    throw Error(Category::preflight, "file " + begun + " was read in part before and is missing now",
                "put it back, or start a new job");
  }
  current_ = static_cast<std::size_t>(current - files.begin());
  files_ = std::move(files);
}

std::string FileSource::position() const {
  FilePosition position;
  position.finished = finished_;
  if (reader_.is_open() && record_offset_ != 0) {
    const InputFile& file = reader_.file();
    position.file = *file_name_;
    position.offset = record_offset_;
    position.line = record_line_;
    position.read = file.fingerprint(file.compressed() ? file.raw_size() : record_offset_);
  }
  return position.to_json();
}

void FileSource::seek(const std::string& text) {
  require_bound();
  FilePosition position = FilePosition::from_json(text);
  reader_.close();
  inside_record_ = false;
  finished_ = std::move(position.finished);
  list_again(position.file);
  if (position.file.empty()) return;

  open_current();
  require_unchanged(position);
  if (!feed_header(reader_)) {
    throw Error(Category::corrupt, "the log's source position is behind a header that " + position.file + " has not");
  }
  if (reader_.continues_line(position.offset)) {
    fail_changed(position.file,
                 "was continued: its last line had no end when it was read as a row, now more of the line follows");
  }
  reader_.seek(position.offset);
  record_offset_ = position.offset;
  record_line_ = line_ = position.line;
}

/// \throws Error (preflight) if the current file doesn't begin with what was read of it
void FileSource::require_unchanged(const FilePosition& position) const {
  const InputFile& file = reader_.file();
  if (const std::uint64_t size = file.raw_size(); size < position.read.bytes) {
    fail_changed(position.file, "has shrunk: it had at least " + std::to_string(position.read.bytes) +
                                    " bytes when it was read, it has " + std::to_string(size) + " now");
  }
  if (file.fingerprint(position.read.bytes) != position.read) {
    fail_changed(position.file, "was changed since it was read");
  }
}

void FileSource::require_bound() const {
  if (!schema_) throw Error(Category::usage, "a source must be bound to columns before it is read");
}

std::optional<Source::Progress> FileSource::progress() const noexcept {
  if (config_.follow) return std::nullopt;
  Progress progress;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    progress.total += files_[i].size;
    if (i < current_) progress.done += files_[i].size;
  }
  if (reader_.is_open()) progress.done += reader_.file().raw_offset();
  return progress;
}

}  // namespace xasink::sources
