#include "src/cli/arguments.hpp"

#include <vector>

#include "tests/support/catch.hpp"
#include "xasink/error.hpp"

using namespace xasink;
using namespace xasink::cli;

namespace {

std::variant<Arguments, Answer> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "xasink");
  return parse_arguments(static_cast<int>(words.size()), words.data());
}

Arguments arguments(const std::vector<const char*>& words) { return std::get<Arguments>(parse(words)); }

// Message and hint of the refusal.
std::string refusal(const std::vector<const char*>& words) {
  try {
    static_cast<void>(parse(words));
  } catch (const Error& error) {
    CHECK(error.category() == Category::usage);
    return error.what() + (" | " + error.details().hint);
  }
  return "not refused";
}

}  // namespace

TEST_CASE("each command takes its own arguments") {
  CHECK(arguments({"run", "a.yaml"}).command == Command::run);
  CHECK(arguments({"run", "a.yaml"}).job == "a.yaml");
  const Arguments status = arguments({"status", "a.yaml", "--last", "3", "--audit"});
  CHECK(status.command == Command::status);
  CHECK(status.last == 3);
  CHECK(status.audit);
  CHECK(arguments({"status", "a.yaml"}).last == 10);
  CHECK(arguments({"list", "a.yaml"}).job == "a.yaml");
  CHECK(arguments({"list", "--url", "sqlite:x"}).url == "sqlite:x");
  CHECK(arguments({"recover", "a.yaml", "--dry-run"}).dry_run);
  CHECK_FALSE(arguments({"recover", "a.yaml"}).dry_run);
  CHECK(arguments({"version"}).command == Command::version);
}

TEST_CASE("the common options may stand before or behind the command") {
  CHECK(arguments({"--json", "version"}).json);
  CHECK(arguments({"version", "--json"}).json);
  CHECK(arguments({"run", "a.yaml", "--log-level", "debug"}).log_level == spdlog::level::debug);
  CHECK(arguments({"--log-level=error", "run", "a.yaml"}).log_level == spdlog::level::err);
  CHECK(arguments({"run", "a.yaml"}).log_level == spdlog::level::info);
  CHECK(arguments({"run", "a.yaml", "--quiet"}).log_level == spdlog::level::warn);
}

TEST_CASE("help is an answer, for the program and for each command") {
  CHECK_THAT(std::get<Answer>(parse({"--help"})).text, test::contains("recover") && test::contains("Exit codes"));
  for (const char* command : {"run", "status", "list", "recover", "version"}) {
    CHECK_THAT(std::get<Answer>(parse({command, "--help"})).text, test::contains("--json"));
  }
  CHECK_THAT(std::get<Answer>(parse({"--version"})).text, test::contains("xasink "));
}

TEST_CASE("what is wrong with a command line is said in one sentence") {
  CHECK_THAT(refusal({}), test::contains("a command is needed; the commands are run"));
  CHECK_THAT(refusal({"statsu", "a.yaml"}), test::contains("there is no command 'statsu'"));
  CHECK_THAT(refusal({"--jsno"}), test::contains("'--jsno' is not an option of xasink"));
  CHECK_THAT(refusal({"run"}), test::contains("`xasink run` needs a job file"));
  CHECK_THAT(refusal({"run", "a.yaml", "b.yaml"}),
             test::contains("'b.yaml' is one argument too many for `xasink run`"));
  CHECK_THAT(refusal({"run", "a.yaml", "--dry-run"}), test::contains("'--dry-run' is not an option of `xasink run`"));
  CHECK_THAT(refusal({"run", "a.yaml", "--log-level", "loud"}), test::contains("not 'loud'"));
  CHECK_THAT(refusal({"run", "a.yaml", "--quiet", "--log-level", "info"}), test::contains("exclude each other"));
  CHECK_THAT(refusal({"list"}), test::contains("needs a job file, or --url"));
  CHECK_THAT(refusal({"list", "a.yaml", "--url", "sqlite:x"}), test::contains("not both"));
  CHECK_THAT(refusal({"list", "--url"}), test::contains("lacks its value"));
  CHECK_THAT(refusal({"run", ""}), test::contains("needs a job file"));
  for (const char* number : {"0", "-1", "x", "3x", "99999999999"}) {
    CHECK_THAT(refusal({"status", "a.yaml", "--last", number}),
               test::contains("--last takes a whole number from 1 on"));
  }
}

TEST_CASE("no refusal repeats a password") {
  constexpr const char* kUrl = "postgresql://app:s3cret@db/shop";
  CHECK_THAT(refusal({"list", kUrl}), test::contains("--url") && !test::contains("s3cret"));
  CHECK_THAT(refusal({"run", "a.yaml", kUrl}), test::contains("too many") && !test::contains("s3cret"));
  CHECK_THAT(refusal({"list", "a.yaml", "--url", kUrl}), !test::contains("s3cret"));
  CHECK_THAT(refusal({kUrl}), test::contains("no command") && !test::contains("s3cret"));
  CHECK_THAT(refusal({"status", "a.yaml", "--last", kUrl}), test::contains("--last") && !test::contains("s3cret"));
}
