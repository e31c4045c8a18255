// Results on standard output.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace xasink::cli {

/// Objects keep the order in which keys were set.
using Json = nlohmann::ordered_json;

/// One value as indented text with a newline. Bytes that are not UTF-8 (names others gave their branches) become
/// U+FFFD.
[[nodiscard]] std::string to_text(const Json& value);

/// \throws Error (io) if standard output does not take it
void write_result(std::string_view text);
void write_json(const Json& value);

}  // namespace xasink::cli
