// A password is in no output, log, spool file or status, whatever happens.
#include <fstream>

#include "tests/fault/refusal_trial.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kRight = "Blatt42gruen";
constexpr const char* kWrong = "Stein17grau";

/// Also without its last letters: half of a secret is one, too.
void require_no_secret(const std::string& text, const std::string& where) {
  INFO(where << ": " << text.substr(0, 2000));
  for (const std::string secret : {kRight, kWrong}) CHECK(text.find(secret.substr(0, 6)) == std::string::npos);
}

class SecretTrial {
 public:
  explicit SecretTrial(const PrivatePostgres& server, const std::string& protocol) : server_(server) {
    text_.url = "postgresql://app:${SHOP_PASSWORD}@127.0.0.1:" + std::to_string(server.port()) + "/postgres";
    text_.target += "    protocol: " + protocol + "\n";
    trial_.write_job(text_);
  }

  /// Looks through everything it wrote.
  RunEnd run(std::vector<std::string> arguments, const std::string& password, const std::string& fault = {}) {
    RunEnd end = trial_.command_line(arguments, {{"SHOP_PASSWORD", password}, {"XASINK_FAULT", fault}, {"PGPASSWORD", ""}});
    require_no_secret(end.out, arguments.front() + " wrote");
    require_no_secret(end.err, arguments.front() + " said");
    for (const auto& entry : fs::recursive_directory_iterator(trial_.folder())) {
      if (!entry.is_regular_file()) continue;
      require_no_secret(trial_.read(fs::relative(entry.path(), trial_.folder())), entry.path());
    }
    return end;
  }

  [[nodiscard]] std::string url(const std::string& password) const {
    return "postgresql://app:" + password + "@127.0.0.1:" + std::to_string(server_.port()) + "/postgres";
  }
  RefusalTrial& trial() noexcept { return trial_; }
  JobText& text() noexcept { return text_; }

 private:
  const PrivatePostgres& server_;
  JobText text_;
  RefusalTrial trial_;
};

}  // namespace

TEST_CASE("a password is in nothing that xasink writes or says, and a wrong one is refused in the server's words") {
  PrivatePostgres::Options options;
  options.access = {"host all app 127.0.0.1/32 scram-sha-256"};
  PrivatePostgres server(options);
  server.query("CREATE ROLE app LOGIN PASSWORD '" + std::string(kRight) + "'; GRANT CREATE ON SCHEMA public TO app");
  for (const std::string protocol : {"prepared", "staged"}) {
    INFO(protocol);
    SecretTrial job(server, protocol);
    require_refusal(job.run({"run", "job.yaml"}, kWrong), 2,
                    {"password authentication failed for user \"app\"", "check user, password"});
    require_json_refusal(job.run({"run", "--json", "job.yaml"}, kWrong), 2, "configuration", {"password authentication"});
    require_refusal(job.run({"run", "job.yaml"}, ""), 2, {"no password supplied", "asks for a password"});
    for (const char* command : {"list", "recover"}) {
      require_refusal(job.run({command, "job.yaml"}, kWrong), 2, {"password authentication failed"});
    }
    require_refusal(job.run({"list", "--url", job.url(kWrong)}, ""), 2, {"password authentication failed"});
    // With a slash that should be %2F, and what libpq quotes when it can't read it.
    require_refusal(job.run({"run", "job.yaml"}, std::string(kWrong) + "/x"), 2, {"percent-encoded"});
    require_refusal(job.run({"run", "job.yaml"}, std::string(kWrong) + "%zz"), 2, {"percent-encoded"});
    require_refusal(job.run({"list", "--url", job.url(kWrong) + "x", "more"}, ""), 2, {"not both"});

    CHECK(job.run({"run", "--log-level", "debug", "job.yaml"}, kRight, "coordinator.commit.before:kill:3").code == 137);
    CHECK(job.run({"status", "--audit", "job.yaml"}, kRight).code == 0);
    CHECK(job.run({"status", "--json", "job.yaml"}, kRight).code == 0);
    CHECK(job.run({"list", "job.yaml"}, kRight).code == 0);
    CHECK(job.run({"list", "--json", "--url", job.url(kRight)}, "").code == 0);
    CHECK(job.run({"recover", "--dry-run", "job.yaml"}, kRight).code == 0);
    CHECK(job.run({"run", "--log-level", "debug", "job.yaml"}, kRight, "prepared.prepare.before:error:2").code == 0);
    CHECK(job.run({"status", "--audit", "--json", "job.yaml"}, kRight).code == 0);
    CHECK(server.value("SELECT count(*) || ' ' || count(DISTINCT id) FROM t") == "20 20");
    server.query("DROP TABLE t");
  }
}
