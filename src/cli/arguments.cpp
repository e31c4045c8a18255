#include "src/cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>

#include "build_versions.hpp"
#include "src/telemetry/logging.hpp"
#include "xasink/error.hpp"

namespace xasink::cli {
namespace {

constexpr std::string_view kExitCodes =
    "Exit codes: 0 done; 1 failed, running again may help; 2 usage or configuration; 3 refused by\n"
    "preflight, or another process has the job; 4 rows rejected; 5 in doubt, lost or damaged: an\n"
    "operator must look.";

constexpr const char* kCommands = "the commands are run, status, list, recover and version";

// As words first: what is wrong with them is said in our own sentences.
struct Words {
  std::string log_level;
  std::string last;
};

void add_common(CLI::App& app, Arguments& arguments, Words& words) {
  app.add_flag("--json", arguments.json, "Results and errors as JSON on standard output");
  app.add_option("--log-level", words.log_level, "debug, info (default), warn or error")->type_name("LEVEL");
  app.add_flag("--quiet", arguments.quiet, "Only warnings and errors; no progress");
  app.set_help_flag("--help", "This text");
}

CLI::App& add_command(CLI::App& app, const char* name, const char* about, Arguments& arguments, Words& words) {
  CLI::App& command = *app.add_subcommand(name, about);
  add_common(command, arguments, words);
  return command;
}

CLI::Option& add_job(CLI::App& command, Arguments& arguments) {
  return *command.add_option("JOB.yaml", arguments.job, "The job file")->type_name("");
}

std::string shown(std::string_view argument) {
  const bool secret = argument.find("://") != std::string_view::npos ||
                      argument.find("password") != std::string_view::npos ||
                      argument.find('@') != std::string_view::npos;
  return secret ? "a URL" : fmt::format("'{}'", argument);
}

[[noreturn]] void refuse(const std::string& what, const CLI::App* command = nullptr, std::string hint = {}) {
  if (hint.empty())
    hint = command == nullptr ? "see `xasink --help`" : fmt::format("see `xasink {} --help`", command->get_name());
  throw Error(Category::usage, what, std::move(hint));
}

// CLI11's own sentences name types and checks; and some repeat a value, which may hold a password.
[[noreturn]] void refuse(const CLI::ParseError& error, const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  const CLI::App* command = chosen.empty() ? nullptr : chosen.front();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto extras = app.remaining(true);
    const std::string first = extras.empty() ? "an argument" : shown(extras.front());
    if (command == nullptr && !extras.empty() && !extras.front().starts_with('-')) {
      refuse(fmt::format("there is no command {}; {}", first, kCommands));
    }
    if (command == nullptr) refuse(fmt::format("{} is not an option of xasink", first));
    if (extras.empty() || !extras.front().starts_with('-')) {
      refuse(fmt::format("{} is one argument too many for `xasink {}`", first, command->get_name()), command);
    }
    refuse(fmt::format("{} is not an option of `xasink {}`", first, command->get_name()), command);
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && command != nullptr) {
    refuse(fmt::format("`xasink {}` needs a job file", command->get_name()), command);
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    refuse("give either a job file or --url, not both", command);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    refuse("an option lacks its value, or is given more than once", command);
  }
  refuse("the command line can't be understood", command);
}

void check(Arguments& arguments, const Words& words, const CLI::App* command) {
  if (!words.log_level.empty()) {
    const auto level = telemetry::parse_level(words.log_level);
    if (!level)
      refuse(fmt::format("--log-level takes debug, info, warn or error, not {}", shown(words.log_level)), command);
    if (arguments.quiet) refuse("--quiet and --log-level exclude each other", command);
    arguments.log_level = *level;
  }
  if (arguments.quiet) arguments.log_level = spdlog::level::warn;
  if (!words.last.empty()) {
    std::uint32_t number = 0;
    const char* end = words.last.data() + words.last.size();
    const auto [stop, error] = std::from_chars(words.last.data(), end, number);
    if (error != std::errc() || stop != end || number == 0) {
      refuse(fmt::format("--last takes a whole number from 1 on, not {}", shown(words.last)), command);
    }
    arguments.last = number;
  }
  if (arguments.job.native().find("://") != std::string::npos) {
    refuse("a job file is needed here, not a URL", command, "`xasink list --url URL` lists what is prepared at a URL");
  }
}

}  // namespace

std::variant<Arguments, Answer> parse_arguments(int argc, const char* const* argv) {
  Arguments arguments;
  Words words;
  CLI::App app("Loads rows into SQL databases exactly once.", "xasink");
  app.footer(std::string(kExitCodes));
  app.set_version_flag("--version", fmt::format("xasink {}", kVersion), "The version");
  app.require_subcommand(0, 1);
  add_common(app, arguments, words);

  CLI::App& run = add_command(app, "run", "Load until the source ends, or SIGINT or SIGTERM; go on where the log says",
                              arguments, words);
  add_job(run, arguments).required();
  CLI::App& status =
      add_command(app, "status", "What the log says: checkpoints, position, branches. Exit code 5 if one is lost",
                  arguments, words);
  add_job(status, arguments).required();
  status.add_option("--last", words.last, "How many checkpoints to show (default 10)")->type_name("N");
  status.add_flag("--audit", arguments.audit, "Show what recovery and operators did to branches, too");
  CLI::App& list = add_command(
      app, "list", "Every prepared transaction there, ours or not, and what is to become of it", arguments, words);
  CLI::Option& listed_job = add_job(list, arguments);
  list.add_option("--url", arguments.url, "A database instead of a job's targets")
      ->type_name("URL")
      ->excludes(&listed_job);
  CLI::App& recover =
      add_command(app, "recover", "Finish or roll back what the log decides; nothing else", arguments, words);
  add_job(recover, arguments).required();
  recover.add_flag("--dry-run", arguments.dry_run, "Say what would be done; change nothing");
  CLI::App& version = add_command(app, "version", "The version, and those of the libraries", arguments, words);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return Answer{chosen.empty() ? app.help() : chosen.front()->help("xasink")};
  } catch (const CLI::CallForVersion& answer) {
    return Answer{std::string(answer.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    refuse(error, app);
  }

  const auto chosen = app.get_subcommands();
  if (chosen.empty()) refuse(fmt::format("a command is needed; {}", kCommands));
  const CLI::App* command = chosen.front();
  if (command == &run) arguments.command = Command::run;
  if (command == &status) arguments.command = Command::status;
  if (command == &list) arguments.command = Command::list;
  if (command == &recover) arguments.command = Command::recover;
  if (command == &version) arguments.command = Command::version;
  check(arguments, words, command);
  if (command != &list && command != &version && arguments.job.empty()) {
    refuse(fmt::format("`xasink {}` needs a job file", command->get_name()), command);
  }
  if (command == &list && arguments.job.empty() && arguments.url.empty()) {
    refuse("`xasink list` needs a job file, or --url with a database", command);
  }
  return arguments;
}

bool wants_json(int argc, const char* const* argv) noexcept {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json") return true;
  }
  return false;
}

}  // namespace xasink::cli
