// The YAML document of a job file, before anyone asks what its keys mean.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace xasink::config {

/// Immutable once loaded. `root` is a map without duplicate or odd keys, of sane size, without tags.
struct Document {
  std::string name;  ///< of the file, as the user gave it
  std::string text;
  YAML::Node root;
};

/// \throws Error (configuration) naming the file and, where there is one, the line
[[nodiscard]] Document load_document(const std::filesystem::path& file);

/// A key as it is written. \pre it passed load_document: a scalar, or the word `null`
[[nodiscard]] std::string key_text(const YAML::Node& key);

/// 1-based.
[[nodiscard]] int line_of(const YAML::Node& node);

/// Throws "<file>:<line>: <message>" (configuration). Without a line if `line` is 0.
[[noreturn]] void fail(const std::string& name, int line, const std::string& message, std::string hint);

/// Text of the file for a message: control characters as blanks, cut to about 60 bytes, valid UTF-8.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace xasink::config
