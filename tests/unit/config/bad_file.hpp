// A job file that must be refused, with the exact words.
#pragma once

#include <string>
#include <vector>

namespace xasink::test {

struct BadFile {
  std::string what;
  std::string text;
  std::string message;
  std::string hint;
};

[[nodiscard]] std::string whole_file(const std::string& text);
/// A good job, but for these keys, from line 2 on.
[[nodiscard]] std::string with_keys(const std::string& keys);
/// A good job, but for the source, in line 2.
[[nodiscard]] std::string with_source(const std::string& source);
/// A good job, but for what follows the first target's URL, from line 5 on.
[[nodiscard]] std::string with_target(const std::string& rest);

/// What an attempt to load says: the message from the file's name on, without its folder.
struct Refusal {
  std::string message;  ///< "loaded" if it isn't refused
  std::string hint;
};

[[nodiscard]] Refusal refusal(const std::string& text);

/// Loads each and compares what is said. XASINK_TEST_SECRET is in the environment then, as `hunter2`.
void check_refusals(const std::vector<BadFile>& files);

}  // namespace xasink::test
