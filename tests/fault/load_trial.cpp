#include "tests/fault/load_trial.hpp"

#include <sqlite3.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/catch.hpp"

namespace xasink::test {
namespace {

constexpr std::chrono::minutes kPatience{3};

std::string next_job_name() {
  static int number = 0;
  return "trial" + std::to_string(++number);
}

std::vector<std::string> sqlite_query(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* raw = nullptr;
  if (sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK) {
    sqlite3_close(raw);
    return {};
  }
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(raw, sqlite3_close);
  sqlite3_busy_timeout(raw, 10'000);
  std::vector<std::string> row;
  const auto take = [](void* to, int columns, char** values, char**) {
    auto& fields = *static_cast<std::vector<std::string>*>(to);
    for (int i = 0; i < columns; ++i) fields.emplace_back(values[i] == nullptr ? "\\N" : values[i]);
    return 0;
  };
  char* message = nullptr;
  if (sqlite3_exec(raw, sql.c_str(), take, &row, &message) != SQLITE_OK) {
    const std::string words = message;
    sqlite3_free(message);
    if (words.find("no such table") != std::string::npos) return {};
    throw std::runtime_error(words);
  }
  return row;
}

}  // namespace

std::string to_string(Kind kind) {
  switch (kind) {
    case Kind::postgresql_prepared: return "PostgreSQL, prepared";
    case Kind::postgresql_staged: return "PostgreSQL, staged";
    case Kind::sqlite: return "SQLite, staged";
  }
  return "?";
}

LoadTrial::LoadTrial(Kind kind, PrivatePostgres* server, const LoadOptions& options)
    : kind_(kind), server_(server), options_(options), job_(next_job_name()) {
  std::ofstream file(folder_.path() / "job.yaml");
  file << "job: " << job_ << "\n"
       << "checkpoint: " << options_.checkpoint << "\n"
       << "source: {type: generator, rows: " << options_.rows << options_.source_more << "}\n"
       << "targets:\n"
       << "  - url: \"" << url_of_target() << "\"\n"
       << "    table: " << job_ << "\n"
       << "    writers: " << options_.writers << "\n"
       << "    protocol: " << (kind == Kind::postgresql_prepared ? "prepared" : "staged") << "\n"
       << "    create: true\n"
       << "    columns: {id: bigint not null, name: text(30), amount: \"decimal(12,2)\", at: timestamptz, ok: boolean, "
          "note: text}\n"
       << "    primary_key: [id]\n"
       << "log: sqlite:log.db\n"
       << "retry: " << options_.retry << "\n"
       << options_.more;
}

std::string LoadTrial::url_of_target() const {
  if (!options_.url.empty()) return options_.url;
  return kind_ == Kind::sqlite ? "sqlite:target.db" : server_->url();
}

void LoadTrial::change(const std::string& from, const std::string& to) const {
  const auto path = folder_.path() / "job.yaml";
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::string job = text.str();
  const auto at = job.find(from);
  if (at == std::string::npos || job.find(from, at + 1) != std::string::npos) throw std::runtime_error("change: " + from);
  std::ofstream(path) << job.replace(at, from.size(), to);
}

std::unique_ptr<Process> LoadTrial::start(const std::string& command, const std::string& fault) const {
  Process::Options options;
  options.directory = folder_.path();
  options.environment["XASINK_FAULT"] = fault;
  return std::make_unique<Process>(std::vector<std::string>{XASINK_PROGRAM, command, "job.yaml"}, options);
}

RunEnd LoadTrial::xasink(const std::string& command, const std::string& fault) const {
  const auto process = start(command, fault);
  const auto code = process->wait(kPatience);
  if (!code) throw std::runtime_error("xasink " + command + " hangs: " + process->err());
  return {*code, process->out(), process->err()};
}

std::vector<std::string> LoadTrial::query(const std::string& sql) const {
  if (kind_ == Kind::sqlite) return sqlite_query(folder_.path() / "target.db", sql);
  if (server_->value("SELECT to_regclass('" + job_ + "') IS NULL") == "t") return {};
  const auto rows = server_->query(sql);
  return rows.empty() ? std::vector<std::string>() : rows.front();
}

std::uint64_t LoadTrial::rows_without_gap() const {
  const auto found =
      query("SELECT count(*), count(DISTINCT id), coalesce(min(id), 0), coalesce(max(id), -1) FROM " + job_);
  if (found.empty()) return 0;
  const std::uint64_t rows = std::stoull(found.at(0));
  INFO(to_string(kind_) << ": " << found.at(0) << " rows, " << found.at(1) << " different, " << found.at(2) << " to "
                        << found.at(3));
  REQUIRE(std::stoull(found.at(1)) == rows);
  REQUIRE(found.at(2) == "0");
  REQUIRE(std::stoll(found.at(3)) == static_cast<long long>(rows) - 1);
  return rows;
}

std::vector<std::string> LoadTrial::left_behind() const {
  std::vector<std::string> left;
  if (kind_ == Kind::postgresql_prepared) {
    for (const auto& row :
         server_->query("SELECT gid FROM pg_prepared_xacts WHERE gid LIKE 'xasink1." + job_ + ".%'")) {
      left.push_back(row.front());
    }
  }
  const auto spool = folder_.path() / "log.db.spool";
  if (std::filesystem::exists(spool)) {
    for (const auto& entry : std::filesystem::directory_iterator(spool)) left.push_back(entry.path().filename());
  }
  return left;
}

void LoadTrial::require_complete() const {
  REQUIRE(rows_without_gap() == options_.rows);
  REQUIRE(left_behind() == std::vector<std::string>{});
  const RunEnd status = xasink("status");
  REQUIRE(status.code == 0);
  REQUIRE_THAT(status.out, contains("committed"));
  REQUIRE(status.out.find("not committed") == std::string::npos);
}

}  // namespace xasink::test
