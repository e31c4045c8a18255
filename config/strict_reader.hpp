// Reads a job file's tree strictly: every key known, every value of the right kind, each refusal with file, line and
// path.
//
// Values refer to the document they come from, which must outlive them. Not thread-safe; used by one thread while
// loading.
#pragma once

#include <yaml-cpp/yaml.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/document.hpp"
#include "config/environment.hpp"

namespace xasink::config {

/// Where values come from.
struct Origin {
  const Document& document;
  const Environment& environment;
};

struct Entry;

/// A node with its path, as in `targets[0].columns.id`.
class Value {
 public:
  Value(const Origin& origin, const YAML::Node& node, int line, std::string path)
      : origin_(&origin), node_(node), line_(line), path_(std::move(path)) {}

  [[nodiscard]] int line() const noexcept { return line_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool is_list() const { return node_.IsSequence(); }
  [[nodiscard]] bool is_map() const { return node_.IsMap(); }

  // --- as one kind of value, variables replaced; each throws Error (configuration) if the node is none
  // -----------------

  /// May be empty.
  [[nodiscard]] std::string text() const;
  /// Neither empty nor with control characters.
  [[nodiscard]] std::string name() const;
  /// One ASCII character.
  [[nodiscard]] char character() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::uint64_t whole(std::uint64_t least, std::uint64_t most) const;
  /// More than 0, at most `most`.
  [[nodiscard]] double rate(double most) const;
  [[nodiscard]] std::chrono::milliseconds duration(std::chrono::milliseconds least,
                                                   std::chrono::milliseconds most) const;
  [[nodiscard]] std::uint64_t byte_size(std::uint64_t least, std::uint64_t most) const;
  /// One of the words. \returns its index
  [[nodiscard]] std::size_t choice(std::span<const std::string_view> words) const;
  /// At least one item.
  [[nodiscard]] std::vector<Value> list() const;
  /// Names, at least one, none twice.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Keys and values in their order, at least one.
  [[nodiscard]] std::vector<Entry> entries() const;

  // --- refusals
  // --------------------------------------------------------------------------------------------------------

  /// The value as the file has it, variables not replaced: what a message may show. Not for values that hold secrets.
  [[nodiscard]] std::string shown() const;
  /// Throws "<file>:<line>: `<path>` <problem>".
  [[noreturn]] void refuse(const std::string& problem, std::string hint) const;

 private:
  friend class Section;
  [[noreturn]] void refuse_kind(std::string_view expected, std::string_view hint) const;

  const Origin* origin_;
  YAML::Node node_;
  int line_;
  std::string path_;
};

/// A key of a map and its value.
struct Entry {
  std::string key;
  int line = 0;  ///< of the key
  Value value;
};

/// A map whose keys are all known.
class Section {
 public:
  /// \throws Error (configuration) if the value is no map or has a key that isn't among `known`, with the nearest known
  /// one
  Section(Value value, std::span<const std::string_view> known);

  [[nodiscard]] const Value& self() const noexcept { return value_; }
  [[nodiscard]] std::optional<Value> find(std::string_view key) const;
  /// \throws Error (configuration) with the hint if the key isn't there
  [[nodiscard]] Value require(std::string_view key, const std::string& hint) const;
  /// Refuses keys that are known, but not together with what else the section says.
  void forbid(std::span<const std::string_view> keys, const std::string& problem, const std::string& hint) const;

 private:
  Value value_;
  std::vector<Entry> entries_;
};

}  // namespace xasink::config
