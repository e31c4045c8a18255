#include "config/document.hpp"

#include <simdjson.h>
#include <yaml-cpp/eventhandler.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "xasink/error.hpp"

namespace xasink::config {
namespace {

constexpr std::size_t max_file_bytes = 1U << 20;

std::string read_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    fail(name, 0, "there is no such job file", "check the path; it is seen from the working folder");
  }
  if (std::filesystem::is_directory(status)) {
    fail(name, 0, "a job file is expected, this is a folder", "name the YAML file in it");
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text(max_file_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) {
    fail(name, 0, "the job file can't be read", "check that this user may read it");
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > max_file_bytes) {
    fail(name, 0, "the file has more than 1 MiB, which is no job file", "name the YAML file of the job");
  }
  return text;
}

/// What YAML itself would accept in odd ways, or report in odd words.
void check_text(const std::string& name, std::string_view text) {
  int line = 0;
  while (!text.empty()) {
    ++line;
    const std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(row.size() + 1, text.size()));
    if (!simdjson::validate_utf8(row)) {
      fail(name, line, "the line is not valid UTF-8", "save the job file as UTF-8");
    }
    // yaml-cpp ends the document at a zero byte without a word.
    const bool control = std::ranges::any_of(row, [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return (byte < 0x20 && c != '\t' && c != '\r') || byte == 0x7f;
    });
    if (control) {
      fail(name, line, "the line has a control character", "remove it, or write it as an escape in double quotes");
    }
    const std::size_t indent = row.find_first_not_of(" \t");
    if (indent != std::string_view::npos && row[indent] != '\r' && row[indent] != '#' &&
        row.substr(0, indent).find('\t') != std::string_view::npos) {
      fail(name, line, "the line is indented with a tab", "indent with blanks; YAML takes no tabs there");
    }
  }
}

/// Sees where a document begins, and nothing else of it.
class DocumentStart final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { line_ = mark.line + 1; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}

  [[nodiscard]] int line() const noexcept { return line_; }

 private:
  int line_ = 0;
};

/// YAML::Load takes the first document and leaves the rest unsaid; YAML::LoadAll never returns from a rest that is no
/// document, such as `, x` behind a closed map. So the parser is asked for two documents, no more.
void check_single(const std::string& name, const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart first;
  if (!parser.HandleNextDocument(first))
    fail(name, 0, "the job file is empty", "config/reference.yaml shows every key");
  DocumentStart second;
  if (parser.HandleNextDocument(second)) {
    fail(name, second.line(), "a second YAML document begins here, or text that belongs to none",
         "write one job per file, and check commas and brackets");
  }
}

/// Refuses what a job file has no use for, once and for all nodes.
class TreeCheck {
 public:
  explicit TreeCheck(const Document& document) : document_(document) {}

  void check(const YAML::Node& node, int depth) {
    constexpr int max_depth = 16;
    constexpr std::size_t max_nodes = 20'000;
    if (depth > max_depth || ++nodes_ > max_nodes) {
      refuse(node, "the file is nested too deeply or has too many values",
             "a job file needs 5 levels; check aliases (`*`)");
    }
    if (!node.Tag().empty() && node.Tag() != "?" && node.Tag() != "!") {
      refuse(node, "the value has a YAML tag", "remove the `!…`; types follow from the key");
    }
    switch (node.Type()) {
      case YAML::NodeType::Map: return check_map(node, depth);
      case YAML::NodeType::Sequence:
        for (const auto& item : node) check(item, depth + 1);
        return;
      case YAML::NodeType::Scalar: return check_quotes(node);
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined: return;
    }
  }

 private:
  [[noreturn]] void refuse(const YAML::Node& node, const std::string& message, std::string hint) const {
    fail(document_.name, line_of(node), message, std::move(hint));
  }

  void check_map(const YAML::Node& node, int depth) {
    std::set<std::string> seen;
    for (const auto& pair : node) {
      const YAML::Node& key = pair.first;
      check_key(key);
      const std::string text = key_text(key);
      if (!seen.insert(text).second) {
        refuse(key, "the key `" + excerpt(text) + "` is there twice", "keep one of the two");
      }
      check(pair.second, depth + 1);
    }
  }

  void check_key(const YAML::Node& key) const {
    // `null:` is a key of csv sources; YAML reads the bare word as nothing at all.
    const bool bare_null = key.IsNull() && source(key).starts_with("null");
    if (!bare_null && (!key.IsScalar() || key.Scalar().empty())) {
      refuse(key, "a key is missing or is not a plain word", "write `key: value`");
    }
    if (key.IsScalar() && key.Scalar().find("${") != std::string::npos) {
      refuse(key, "a key has a `${`", "only values take variables from the environment");
    }
  }

  /// yaml-cpp takes a quoted value that the end of the file cuts off: the sign of a file written in part.
  void check_quotes(const YAML::Node& node) const {
    const std::string_view text = source(node);
    if (node.Tag() != "!" || text.empty() || (text.front() != '"' && text.front() != '\'')) return;
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (text.front() == '"' && text[i] == '\\') {
        ++i;
      } else if (text[i] == text.front()) {
        return;
      }
    }
    refuse(node, "the quote is not closed before the end of the file", "close it, and check that the file is complete");
  }

  [[nodiscard]] std::string_view source(const YAML::Node& node) const {
    const int at = node.Mark().pos;
    if (at < 0 || static_cast<std::size_t>(at) >= document_.text.size()) return {};
    return std::string_view(document_.text).substr(static_cast<std::size_t>(at));
  }

  const Document& document_;
  std::size_t nodes_ = 0;
};

std::string syntax_hint(const std::string& text, int line) {
  std::string_view rest(text);
  for (int i = 1; i < line && !rest.empty(); ++i) {
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  }
  const std::string_view row = rest.substr(0, rest.find('\n'));
  if (row.find("${") != std::string_view::npos) {
    return "put a value with `${NAME}` in double quotes; inside [ ] and { } YAML asks for that";
  }
  if (row.find(" *") != std::string_view::npos || row.find("[*") != std::string_view::npos) {
    return "put a value that begins with `*` in double quotes";
  }
  return "check indentation, quotes and brackets, here and in the lines before";
}

}  // namespace

Document load_document(const std::filesystem::path& file) {
  Document document{file.string(), read_file(file), {}};
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (document.text.starts_with(byte_order_mark)) document.text.erase(0, byte_order_mark.size());
  check_text(document.name, document.text);
  try {
    check_single(document.name, document.text);
    document.root = YAML::Load(document.text);
    if (!document.root.IsMap()) {
      fail(document.name, line_of(document.root), "the file is not a map of keys", "begin with `job: <name>`");
    }
    TreeCheck(document).check(document.root, 0);
  } catch (const YAML::Exception& error) {
    const int line = error.mark.line + 1;
    fail(document.name, line, "YAML can't be read: " + error.msg, syntax_hint(document.text, line));
  }
  return document;
}

std::string key_text(const YAML::Node& key) { return key.IsScalar() ? key.Scalar() : "null"; }

int line_of(const YAML::Node& node) { return node.Mark().line + 1; }

void fail(const std::string& name, int line, const std::string& message, std::string hint) {
  const std::string place = line > 0 ? name + ":" + std::to_string(line) : name;
  throw Error(Category::configuration, place + ": " + message, std::move(hint));
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result(text.substr(0, longest));
  if (text.size() > longest) {
    while (!result.empty() && !simdjson::validate_utf8(result)) result.pop_back();
    result += "…";
  }
  std::ranges::replace_if(
      result, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return result;
}

}  // namespace xasink::config
