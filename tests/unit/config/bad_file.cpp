#include "tests/unit/config/bad_file.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/config/job_file.hpp"
#include "xasink/error.hpp"

namespace xasink::test {

std::string whole_file(const std::string& text) { return text; }

std::string with_keys(const std::string& keys) {
  return "source: {type: jsonl, path: x}\n" + keys +
         "targets: [{url: \"sqlite:x\", table: t}]\nlog: sqlite:log.db\njob: a\n";
}

std::string with_source(const std::string& source) {
  return "job: a\nsource: " + source + "\ntargets: [{url: \"sqlite:x\", table: t}]\nlog: sqlite:log.db\n";
}

std::string with_target(const std::string& rest) {
  return "job: a\nsource: {type: jsonl, path: x}\ntargets:\n  - url: sqlite:x\n    " + rest + "log: sqlite:log.db\n";
}

Refusal refusal(const std::string& text) {
  try {
    static_cast<void>(load_text(text));
  } catch (const Error& error) {
    CHECK(error.category() == Category::configuration);
    CHECK_FALSE(error.retryable());
    CHECK_FALSE(error.details().hint.empty());
    const std::string message = error.what();
    const std::size_t file = message.find("job.yaml");
    REQUIRE(file != std::string::npos);
    return {message.substr(file), error.details().hint};
  }
  return {"loaded", ""};
}

void check_refusals(const std::vector<BadFile>& files) {
  const EnvironmentVariable secret("XASINK_TEST_SECRET", "hunter2");
  for (const BadFile& file : files) {
    CAPTURE(file.what, file.text);
    const Refusal refused = refusal(file.text);
    CHECK(refused.message == file.message);
    CHECK(refused.hint == file.hint);
    CHECK(refused.message.find("hunter2") == std::string::npos);
  }
}

}  // namespace xasink::test
