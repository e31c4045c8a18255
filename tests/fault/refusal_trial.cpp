#include "tests/fault/refusal_trial.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tests/support/catch.hpp"
#include "txn/log/sqlite_handle.hpp"

namespace xasink::test {
namespace {

constexpr std::chrono::seconds kPatience{60};

RunEnd to_its_end(Process& process, const std::string& what) {
  const auto code = process.wait(kPatience);
  if (!code) throw std::runtime_error(what + " hangs: " + process.err());
  return {*code, process.out(), process.err()};
}

}  // namespace

RefusalTrial::RefusalTrial(const JobText& text) {
  write("in.csv", csv(1, 20));
  write_job(text);
}

void RefusalTrial::write_job(const JobText& text) const {
  write("job.yaml", "job: " + text.job + "\n" + text.checkpoint + "source: " + text.source + "\ntargets:\n  - url: \"" +
                        text.url + "\"\n    table: " + text.table + "\n" + text.target + "log: " + text.log + "\n" +
                        text.more);
}

void RefusalTrial::write(const std::string& name, const std::string& content) const {
  std::ofstream file(folder() / name, std::ios::binary | std::ios::trunc);
  file << content;
  REQUIRE(file.flush());
}

std::string RefusalTrial::read(const std::string& name) const {
  std::ifstream file(folder() / name, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string RefusalTrial::csv(int first, int last) {
  std::string text = "id,name\n";
  for (int id = first; id <= last; ++id) text += std::to_string(id) + ",name " + std::to_string(id) + "\n";
  return text;
}

RunEnd RefusalTrial::xasink(const std::string& command, const std::vector<std::string>& more,
                            const std::string& fault) const {
  std::vector<std::string> arguments{command, "job.yaml"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return command_line(arguments, {{"XASINK_FAULT", fault}});
}

RunEnd RefusalTrial::command_line(const std::vector<std::string>& arguments,
                                  const std::map<std::string, std::string>& environment) const {
  std::vector<std::string> all{XASINK_PROGRAM};
  all.insert(all.end(), arguments.begin(), arguments.end());
  Process::Options options;
  options.directory = folder();
  options.environment = environment;
  Process process(all, options);
  return to_its_end(process, "xasink " + arguments.front());
}

std::unique_ptr<Process> RefusalTrial::start(const std::string& command, const std::string& fault) const {
  Process::Options options;
  options.directory = folder();
  options.environment["XASINK_FAULT"] = fault;
  return std::make_unique<Process>(std::vector<std::string>{XASINK_PROGRAM, command, "job.yaml"}, options);
}

RunEnd RefusalTrial::shell(const std::string& script) const {
  Process::Options options;
  options.directory = folder();
  options.environment["XASINK"] = XASINK_PROGRAM;
  Process process({"sh", "-c", script}, options);
  return to_its_end(process, "the script");
}

void RefusalTrial::kill_at(const std::string& point, int passage) const {
  const RunEnd end = xasink("run", {}, point + ":kill:" + std::to_string(passage));
  INFO(end.err);
  REQUIRE(end.code == 128 + 9);
}

std::vector<std::string> RefusalTrial::spool() const {
  std::vector<std::string> names;
  if (const auto path = folder() / "log.db.spool"; std::filesystem::exists(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path)) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string RefusalTrial::ids() const {
  if (!std::filesystem::exists(folder() / "target.db")) return {};
  txn::SqliteHandle database(folder() / "target.db", SQLITE_OPEN_READWRITE);
  if (database.query_integer("SELECT count(*) FROM sqlite_schema WHERE name = 't'") == 0) return {};
  return database.query_text("SELECT group_concat(id, ' ') FROM (SELECT id FROM t ORDER BY id)");
}

void RefusalTrial::target(const std::string& sql) const {
  txn::SqliteHandle(folder() / "target.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).execute(sql);
}

std::string RefusalTrial::from_log(const std::string& sql) const {
  return txn::SqliteHandle(folder() / "log.db", SQLITE_OPEN_READWRITE).query_text(sql);
}

std::string numbers_to(int last) {
  std::string text;
  for (int id = 1; id <= last; ++id) text += (id > 1 ? " " : "") + std::to_string(id);
  return text;
}

void require_refusal(const RunEnd& end, int code, const std::vector<std::string>& parts) {
  INFO("standard error: " << end.err);
  INFO("standard output: " << end.out);
  REQUIRE(end.code == code);
  std::vector<std::string> lines;
  std::istringstream stream(end.err);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const auto is_sentence = [](const std::string& line) { return line.starts_with("xasink: "); };
  REQUIRE(std::count_if(lines.begin(), lines.end(), is_sentence) == 1);
  REQUIRE(lines.size() >= 2);
  REQUIRE(is_sentence(lines[lines.size() - 2]));
  REQUIRE_THAT(lines.back(), contains("  hint: "));
  const std::string words = lines[lines.size() - 2] + "\n" + lines.back();
  for (const std::string& part : parts) CHECK_THAT(words, contains(part));
}

void require_json_refusal(const RunEnd& end, int code, const std::string& category,
                          const std::vector<std::string>& parts) {
  INFO("standard error: " << end.err);
  INFO("standard output: " << end.out);
  REQUIRE(end.code == code);
  const auto json = nlohmann::json::parse(end.out);
  CHECK(json.at("exit_code") == code);
  const auto& error = json.at("error");
  CHECK(error.at("category") == category);
  const std::string words = error.at("message").get<std::string>() + "\n" + error.at("hint").get<std::string>();
  for (const std::string& part : parts) CHECK_THAT(words, contains(part));
  CHECK(end.err.find("xasink: ") == std::string::npos);  // told once
}

bool may_mount() {
  Process process({"unshare", "-m", "true"});
  if (process.wait(kPatience) == 0) return true;
  WARN("not tried: this user may not make mount namespaces");
  return false;
}

}  // namespace xasink::test
