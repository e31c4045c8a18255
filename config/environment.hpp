// `${NAME}` in a value of the job file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace xasink::config {

/// Looks a variable up; empty if it isn't set.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

/// The environment of this process. \pre no other thread changes the environment
[[nodiscard]] std::optional<std::string> process_environment(const std::string& name);

struct Expanded {
  std::string text;
  std::string problem;  ///< empty if all went well; names variables, never their values
  std::string hint;
};

/// Replaces each `${NAME}` by the variable's value, once: what a value contains is not looked at again. `$${` gives a
/// literal
/// `${`; any other `$` stays as it is.
[[nodiscard]] Expanded expand(std::string_view text, const Environment& environment);

}  // namespace xasink::config
