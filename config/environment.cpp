#include "config/environment.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>

namespace xasink::config {
namespace {

bool is_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !digit(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || digit(c); });
}

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): see the header's precondition
  if (value == nullptr) return std::nullopt;
  return value;
}

Expanded expand(std::string_view text, const Environment& environment) {
  constexpr std::string_view open = "${";
  Expanded result;
  while (true) {
    const std::size_t at = text.find(open);
    if (at == std::string_view::npos) break;
    if (at > 0 && text[at - 1] == '$') {
      result.text.append(text.substr(0, at - 1)).append(open);
      text.remove_prefix(at + open.size());
      continue;
    }
    const std::size_t close = text.find('}', at);
    const std::string name(
        text.substr(at + open.size(), close == std::string_view::npos ? 0 : close - at - open.size()));
    if (!is_name(name)) {
      result.problem = "has a `${` without a variable's name and `}` behind it";
      result.hint = "write `${NAME}` with letters, digits and `_`, or `$${` for a literal `${`";
      return result;
    }
    const std::optional<std::string> value = environment(name);
    if (!value) {
      result.problem = "needs the environment variable `" + name + "`, which is not set";
      result.hint =
          "set " + name + " before running this job, or write `$${" + name + "}` if the text is meant literally";
      return result;
    }
    if (!simdjson::validate_utf8(*value)) {
      result.problem = "takes the environment variable `" + name + "`, whose value is not valid UTF-8";
      result.hint = "set " + name + " to text in UTF-8";
      return result;
    }
    result.text.append(text.substr(0, at)).append(*value);
    text.remove_prefix(close + 1);
  }
  result.text.append(text);
  return result;
}

}  // namespace xasink::config
