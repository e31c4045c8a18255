#include "config/strict_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "config/byte_size.hpp"
#include "config/duration.hpp"
#include "config/nearest.hpp"

namespace xasink::config {
namespace {

std::string join(std::span<const std::string_view> words) {
  std::string result;
  for (const std::string_view word : words) {
    if (!result.empty()) result += ", ";
    result += word;
  }
  return result;
}

std::string child_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

std::string_view kind_of(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null: return "no value";
    case YAML::NodeType::Scalar: return "a single value";
    case YAML::NodeType::Sequence: return "a list";
    case YAML::NodeType::Map: return "a map of keys";
  }
  return "no value";
}

/// The whole of the text as a number of the type, or empty.
template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string Value::text() const {
  if (!node_.IsScalar())
    refuse_kind("a single value", "write one value, in double quotes if it is a text such as `null`");
  const Expanded expanded = expand(node_.Scalar(), origin_->environment);
  if (!expanded.problem.empty()) refuse(expanded.problem, expanded.hint);
  return expanded.text;
}

std::string Value::name() const {
  std::string result = text();
  if (result.empty()) refuse("is empty", "write a value, or leave the key out if it is optional");
  if (std::ranges::any_of(result, [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
    refuse("has a control character", "remove line breaks and tabs from the value");
  }
  return result;
}

char Value::character() const {
  const std::string result = text();
  constexpr unsigned char last_ascii = 0x7f;
  if (result.size() != 1 || static_cast<unsigned char>(result.front()) > last_ascii || result.front() == '\0' ||
      result.front() == '\n' || result.front() == '\r') {
    refuse("is `" + shown() + "`, not one ASCII character",
           R"(write one character in double quotes, such as ";" or "\t")");
  }
  return result.front();
}

bool Value::boolean() const {
  constexpr std::array<std::string_view, 2> words{"false", "true"};
  return choice(words) == 1;
}

std::uint64_t Value::whole(std::uint64_t least, std::uint64_t most) const {
  const std::string range = "write a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  const std::optional<std::uint64_t> value = number<std::uint64_t>(text());
  if (!value) refuse("is `" + shown() + "`, not a whole number", range);
  if (*value < least || *value > most) refuse("is `" + shown() + "`, out of range", range);
  return *value;
}

double Value::rate(double most) const {
  const std::optional<double> value = number<double>(text());
  if (!value || !(*value > 0) || *value > most) {
    refuse("is `" + shown() + "`, not a positive number up to " + std::to_string(std::llround(most)),
           "write rows per second, such as `2500` or `0.5`, or leave the key out for no limit");
  }
  return *value;
}

std::chrono::milliseconds Value::duration(std::chrono::milliseconds least, std::chrono::milliseconds most) const {
  const auto [value, problem] = parse_duration(text());
  if (!value) refuse("is `" + shown() + "`, which " + std::string(problem), std::string(duration_hint));
  if (*value < least || *value > most) {
    refuse("is `" + shown() + "`, out of range",
           "write a duration from " + format_duration(least) + " to " + format_duration(most));
  }
  return *value;
}

std::uint64_t Value::byte_size(std::uint64_t least, std::uint64_t most) const {
  const auto [value, problem] = parse_byte_size(text());
  if (!value) refuse("is `" + shown() + "`, which " + std::string(problem), std::string(byte_size_hint));
  if (*value < least || *value > most) {
    refuse("is `" + shown() + "`, out of range",
           "write a size from " + format_byte_size(least) + " to " + format_byte_size(most));
  }
  return *value;
}

std::size_t Value::choice(std::span<const std::string_view> words) const {
  const std::string word = text();
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  // The nearest word is looked for in what the file shows, so that the hint tells nothing of a variable's value.
  const std::string_view near = nearest(shown(), words);
  const std::string hint = near.empty() ? std::string() : "did you mean `" + std::string(near) + "`? ";
  refuse("is `" + shown() + "`, which it doesn't take", hint + "write one of " + join(words));
}

std::vector<Value> Value::list() const {
  if (!node_.IsSequence()) refuse_kind("a list", "write `[a, b]`, or one item per line behind `- `");
  if (node_.size() == 0) refuse("is an empty list", "name at least one");
  std::vector<Value> result;
  for (std::size_t i = 0; i < node_.size(); ++i) {
    result.emplace_back(*origin_, node_[i], line_of(node_[i]), path_ + "[" + std::to_string(i) + "]");
  }
  return result;
}

std::vector<std::string> Value::names() const {
  std::vector<std::string> result;
  for (const Value& item : list()) {
    std::string name = item.name();
    if (std::ranges::find(result, name) != result.end()) {
      item.refuse("is `" + item.shown() + "`, which is in the list already", "name each once");
    }
    result.push_back(std::move(name));
  }
  return result;
}

std::vector<Entry> Value::entries() const {
  if (!node_.IsMap()) refuse_kind("a map of keys", "write `key: value` lines, indented, or `{key: value}`");
  if (node_.size() == 0) refuse("is an empty map", "name at least one key, or leave it out");
  std::vector<Entry> result;
  for (const auto& pair : node_) {
    const YAML::Node& key = pair.first;
    const YAML::Node& node = pair.second;
    const std::string name = key_text(key);
    // YAML places a value that isn't there at whatever comes next; its key is where the reader looks.
    const int line = node.IsNull() ? line_of(key) : line_of(node);
    result.push_back({name, line_of(key), Value(*origin_, node, line, child_path(path_, excerpt(name)))});
  }
  return result;
}

std::string Value::shown() const { return node_.IsScalar() ? excerpt(node_.Scalar()) : std::string(kind_of(node_)); }

void Value::refuse(const std::string& problem, std::string hint) const {
  const std::string subject = path_.empty() ? "the job file" : "`" + path_ + "`";
  fail(origin_->document.name, line_, subject + " " + problem, std::move(hint));
}

void Value::refuse_kind(std::string_view expected, std::string_view hint) const {
  const std::string_view verb = node_.IsDefined() && !node_.IsNull() ? "is " : "has ";
  refuse(std::string(verb) + std::string(kind_of(node_)) + ", " + std::string(expected) + " is expected",
         std::string(hint));
}

Section::Section(Value value, std::span<const std::string_view> known)
    : value_(std::move(value)), entries_(value_.entries()) {
  for (const Entry& entry : entries_) {
    if (std::ranges::find(known, entry.key) != known.end()) continue;
    const std::string_view near = nearest(entry.key, known);
    const std::string hint =
        near.empty() ? "known keys here: " + join(known) : "did you mean `" + std::string(near) + "`?";
    fail(value_.origin_->document.name, entry.line, "`" + entry.value.path() + "` is not a known key", hint);
  }
}

std::optional<Value> Section::find(std::string_view key) const {
  const auto entry = std::ranges::find(entries_, key, &Entry::key);
  if (entry == entries_.end()) return std::nullopt;
  return entry->value;
}

Value Section::require(std::string_view key, const std::string& hint) const {
  if (auto value = find(key)) return *std::move(value);
  fail(value_.origin_->document.name, value_.line(), "`" + child_path(value_.path(), key) + "` is missing", hint);
}

void Section::forbid(std::span<const std::string_view> keys, const std::string& problem,
                     const std::string& hint) const {
  for (const std::string_view key : keys) {
    if (const auto value = find(key)) value->refuse(problem, hint);
  }
}

}  // namespace xasink::config
