// The `source:` section.
#include <algorithm>
#include <array>
#include <limits>
#include <system_error>

#include "config/sections.hpp"

namespace xasink::config {
namespace {

constexpr std::array<std::string_view, 11> keys{"type", "path",   "header", "columns", "delimiter",      "quote",
                                                "null", "follow", "seed",   "rows",    "rows_per_second"};
constexpr std::array<std::string_view, 5> csv_keys{"header", "columns", "delimiter", "quote", "null"};
constexpr std::array<std::string_view, 2> file_keys{"path", "follow"};
constexpr std::array<std::string_view, 3> generator_keys{"seed", "rows", "rows_per_second"};
constexpr std::array<std::string_view, 3> types{"csv", "jsonl", "generator"};

/// After a failure a job goes back to the position of its last decision; what can't be read a second time can't do
/// that.
void check_can_seek(const Value& value, const std::string& path) {
  const std::string hint = "write the rows to a file and load that";
  const std::string reason = ", which can't go back to a position, so rows would be lost or doubled after a failure";
  if (path == "-" || path == "/dev/stdin") value.refuse("is the standard input" + reason, hint);
  std::error_code error;
  switch (std::filesystem::status(path, error).type()) {
    case std::filesystem::file_type::fifo: value.refuse("is a pipe" + reason, hint);
    case std::filesystem::file_type::socket: value.refuse("is a socket" + reason, hint);
    case std::filesystem::file_type::character: value.refuse("is a character device" + reason, hint);
    case std::filesystem::file_type::directory:
      value.refuse("is a folder, files are expected", "name the files in it, as in `folder/*.csv`");
    // A missing file is left to the run: a job whose input is gone must still be able to recover.
    case std::filesystem::file_type::none:
    case std::filesystem::file_type::not_found:
    case std::filesystem::file_type::regular:
    case std::filesystem::file_type::symlink:
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::unknown: return;
  }
}

std::vector<std::string> read_paths(const Value& value) {
  std::vector<std::string> paths = value.is_list() ? value.names() : std::vector<std::string>{value.name()};
  const std::vector<Value> values = value.is_list() ? value.list() : std::vector<Value>{value};
  for (std::size_t i = 0; i < paths.size(); ++i) check_can_seek(values[i], paths[i]);
  return paths;
}

void read_csv(const Section& section, FileSourceConfig& source) {
  if (const auto value = section.find("header")) source.header = value->boolean();
  if (const auto value = section.find("columns")) {
    source.columns = value->names();
    if (source.header) {
      value->refuse("is given, but with `header: true` the file names its columns", "leave one of the two out");
    }
  } else if (!source.header) {
    section.self().refuse("doesn't say what the fields of a record are",
                          "add `header: true` if the first record names them, else `columns: [names in order]`");
  }
  if (const auto value = section.find("delimiter")) source.delimiter = value->character();
  if (const auto value = section.find("quote")) source.quote = value->character();
  if (source.quote == source.delimiter) {
    section.self().refuse("has one character for both `quote` and `delimiter`", "choose two different ones");
  }
  if (const auto value = section.find("null")) {
    source.null_text = value->text();
    const std::string never{source.delimiter, source.quote, '\n', '\r'};
    if (source.null_text->find_first_of(never) != std::string::npos) {
      value->refuse("is a text that no unquoted field can be", "leave out delimiter, quote and line breaks");
    }
  }
}

GeneratorConfig read_generator(const Section& section) {
  constexpr std::uint64_t most_rows = 1ULL << 62;
  constexpr double most_rows_per_second = 1e9;
  GeneratorConfig generator;
  if (const auto value = section.find("seed"))
    generator.seed = value->whole(0, std::numeric_limits<std::uint64_t>::max());
  if (const auto value = section.find("rows")) generator.rows = value->whole(1, most_rows);
  if (const auto value = section.find("rows_per_second")) generator.rows_per_second = value->rate(most_rows_per_second);
  return generator;
}

}  // namespace

SourceConfig read_source(const Value& value) {
  const Section section(value, keys);
  const std::size_t type = section.require("type", "write `type: csv`, `jsonl` or `generator`").choice(types);
  const std::string named = "`type: " + std::string(types.at(type)) + "`";
  if (types.at(type) != "csv") {
    section.forbid(csv_keys, "is only for `type: csv`, this source has " + named, "leave it out");
  }
  if (types.at(type) == "generator") {
    section.forbid(file_keys, "is only for files, this source has " + named, "leave it out");
    return read_generator(section);
  }
  section.forbid(generator_keys, "is only for `type: generator`, this source has " + named, "leave it out");

  FileSourceConfig source;
  source.format = types.at(type) == "csv" ? FileFormat::csv : FileFormat::jsonl;
  source.paths =
      read_paths(section.require("path", "name a file or a pattern, as in `path: \"orders/*.csv\"`, or a list"));
  if (source.format == FileFormat::csv) read_csv(section, source);
  if (const auto follow = section.find("follow")) source.follow = follow->boolean();
  return source;
}

bool unbounded(const SourceConfig& source) {
  if (const auto* file = std::get_if<FileSourceConfig>(&source)) return file->follow;
  return !std::get<GeneratorConfig>(source).rows.has_value();
}

}  // namespace xasink::config
