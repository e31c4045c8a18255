#include "tests/unit/sources/support.hpp"

#include <stdlib.h>
#include <zlib.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "src/sources/make_source.hpp"
#include "tests/support/catch.hpp"

namespace xasink::test {

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "xasink-sources-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string TempFolder::write(const std::string& name, std::string_view content) const {
  std::ofstream(path(name), std::ios::binary | std::ios::trunc) << content;
  return path(name);
}

void TempFolder::append(const std::string& name, std::string_view content) const {
  std::ofstream(path(name), std::ios::binary | std::ios::app) << content;
}

std::string gzip(std::string_view content) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string out(deflateBound(&stream, content.size()) + 32, '\0');
  std::string in(content);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return out;
}

std::shared_ptr<const TableSchema> columns(std::string_view text) {
  auto schema = std::make_shared<TableSchema>();
  schema->table = "orders";
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const bool nullable = word.back() != '!';
    if (!nullable) word.pop_back();
    const auto colon = word.find(':');
    const auto type = parse_column_type(word.substr(colon + 1));
    if (!type) throw std::runtime_error("bad type in " + word);
    schema->columns.push_back({word.substr(0, colon), *type, nullable});
  }
  return schema;
}

std::vector<std::string> rows_of(const RowBatch& batch) {
  std::vector<std::string> rows;
  for (std::size_t r = 0; r < batch.rows(); ++r) {
    std::string text;
    for (std::size_t c = 0; c < batch.columns(); ++c) {
      const Cell& cell = batch.row(r)[c];
      if (c > 0) text += '|';
      if (cell.null != 0) {
        text += "NULL";
        continue;
      }
      switch (batch.schema().columns[c].type.kind) {
        case TypeKind::int8:
        case TypeKind::int16:
        case TypeKind::int32:
        case TypeKind::int64:
        case TypeKind::uint8:
        case TypeKind::uint16:
        case TypeKind::uint32:
        case TypeKind::boolean:
        case TypeKind::date:
        case TypeKind::time:
        case TypeKind::timestamp:
        case TypeKind::timestamptz: text += std::to_string(cell.i); break;
        case TypeKind::uint64: text += std::to_string(cell.u); break;
        case TypeKind::float32:
        case TypeKind::float64: text += std::to_string(cell.d); break;
        case TypeKind::decimal:
        case TypeKind::text:
        case TypeKind::bytes:
        case TypeKind::uuid:
        case TypeKind::json: text += batch.bytes_of(cell); break;
      }
    }
    rows.push_back(std::move(text));
  }
  return rows;
}

config::FileSourceConfig csv(std::vector<std::string> paths) {
  config::FileSourceConfig config;
  config.paths = std::move(paths);
  config.header = true;
  return config;
}

config::FileSourceConfig jsonl(std::vector<std::string> paths) {
  config::FileSourceConfig config;
  config.format = config::FileFormat::jsonl;
  config.paths = std::move(paths);
  return config;
}

std::chrono::steady_clock::time_point in(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

namespace {

std::unique_ptr<sources::Source> make(const config::SourceConfig& config, std::size_t buffer_bytes) {
  if (const auto* files = std::get_if<config::FileSourceConfig>(&config)) {
    return std::make_unique<sources::FileSource>(*files, buffer_bytes);
  }
  return sources::make_source(config);
}

}  // namespace

Reader::Reader(const config::SourceConfig& config, std::shared_ptr<const TableSchema> schema, std::size_t buffer_bytes)
    : source_(make(config, buffer_bytes)), batch_(schema) {
  source_->bind(std::move(schema));
}

std::vector<std::string> Reader::some(std::size_t rows, std::chrono::milliseconds wait) {
  batch_.clear();
  last_result_ = source_->read(batch_, rows, in(wait));
  CHECK(batch_.empty() == (last_result_ != sources::ReadResult::rows));
  CHECK(batch_.rows() <= rows);
  CHECK(batch_.pending_cells() == 0);
  return rows_of(batch_);
}

std::vector<std::string> Reader::rest(std::size_t rows_each) {
  std::vector<std::string> all;
  for (;;) {
    const auto rows = some(rows_each);
    if (rows.empty()) return all;
    all.insert(all.end(), rows.begin(), rows.end());
  }
}

std::string error_of(const std::function<void()>& act, Category category) {
  try {
    act();
  } catch (const Error& error) {
    CHECK(error.category() == category);
    return std::string(error.what()) + " (" + error.details().hint + ')';
  }
  FAIL("nothing was thrown");
  return {};
}

}  // namespace xasink::test
