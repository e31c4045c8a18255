#include "src/sources/file_position.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "xasink/error.hpp"

namespace xasink::sources {

namespace {

using nlohmann::json;

constexpr int version = 1;

// Hashes are text: JSON readers that hold numbers as doubles would change them.
std::string to_hex(std::uint64_t value) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  return {digits, end};
}

std::uint64_t from_hex(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("\"" + text + "\" is no hash");
  return value;
}

}  // namespace

std::string FilePosition::to_json() const {
  json recent = json::array();
  for (const FileEntry& entry : finished.recent) recent.push_back({{"file", entry.name}, {"bytes", entry.size}});
  json position = {{"source", "files"}, {"version", version}, {"finished", std::move(recent)}};
  if (finished.folded != 0) {
    position["before"] = {
        {"files", finished.folded}, {"last", finished.folded_last}, {"hash", to_hex(finished.folded_hash)}};
  }
  if (!file.empty()) {
    position["file"] = file;
    position["offset"] = offset;
    position["line"] = line;
    position["read"] = {{"bytes", read.bytes}, {"head", to_hex(read.head)}, {"tail", to_hex(read.tail)}};
  }
  return position.dump();
}

FilePosition FilePosition::from_json(const std::string& text) {
  try {
    const json parsed = json::parse(text);
    if (parsed.at("source") != "files" || parsed.at("version") != version) {
      throw std::invalid_argument("of another source or version");
    }
    FilePosition position;
    for (const json& entry : parsed.at("finished")) {
      position.finished.recent.push_back({entry.at("file").get<std::string>(), entry.at("bytes").get<std::uint64_t>()});
    }
    if (const auto before = parsed.find("before"); before != parsed.end()) {
      position.finished.folded = before->at("files").get<std::uint64_t>();
      position.finished.folded_last = before->at("last").get<std::string>();
      position.finished.folded_hash = from_hex(before->at("hash").get<std::string>());
    }
    if (const auto file = parsed.find("file"); file != parsed.end()) {
      position.file = file->get<std::string>();
      position.offset = parsed.at("offset").get<std::uint64_t>();
      position.line = parsed.at("line").get<std::uint64_t>();
      const json& read = parsed.at("read");
      position.read.bytes = read.at("bytes").get<std::uint64_t>();
      position.read.head = from_hex(read.at("head").get<std::string>());
      position.read.tail = from_hex(read.at("tail").get<std::string>());
    }
    return position;
  } catch (const std::exception& error) {  // json's and ours
    throw Error(Category::corrupt, std::string("the log's source position is no position in files: ") + error.what(),
                "does the job file name another source than the job was begun with?");
  }
}

}  // namespace xasink::sources
