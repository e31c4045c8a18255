#include "tests/integration/cli/trial_job.hpp"
#include "tests/support/catch.hpp"

using namespace xasink::test;

TEST_CASE("help is a result: on standard output, exit code 0") {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"run", "--help"},
                                                    {"status", "--help"},
                                                    {"list", "--help"},
                                                    {"recover", "--help"}}) {
    const Ended help = run_xasink(arguments);
    CHECK(help.code == 0);
    CHECK_THAT(help.out, contains("Usage: xasink") && contains("--log-level"));
    CHECK(help.err.empty());
  }
}

TEST_CASE("a wrong command line ends with exit code 2 and words on standard error alone") {
  const Ended wrong = run_xasink({"runn"});
  CHECK(wrong.code == 2);
  CHECK(wrong.out.empty());
  CHECK_THAT(wrong.err, contains("xasink: there is no command 'runn'") && contains("\n  hint: "));
}

TEST_CASE("a job file that is missing or wrong ends with exit code 2 and says where") {
  CHECK(run_xasink({"run", "/nowhere/job.yaml"}).code == 2);
  const TrialJob job("rows: 10", "lgo: x\n");
  for (const char* command : {"run", "status", "list", "recover"}) {
    const Ended wrong = run_xasink({command, job.file()});
    CAPTURE(command);
    CHECK(wrong.code == 2);
    CHECK(wrong.out.empty());
    CHECK_THAT(wrong.err, contains("trial.yaml:") && contains("lgo"));
  }
}

TEST_CASE("more than one target is refused before anything is made") {
  const TrialJob job("rows: 10");
  job.write("rows: 10", "");
  {
    const std::string second = "  - {url: \"sqlite:" + (job.folder() / "other.db").string() + "\", table: other}\n";
    std::string text = run({"cat", job.file()});
    text.insert(text.find("log:"), second);
    const std::string command = "cat > \"$0\" <<'END'\n" + text + "END\n";
    static_cast<void>(run({"sh", "-c", command, job.file()}));
  }
  const Ended refused = run_xasink({"run", job.file()});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, contains("2 targets") && contains("exactly one"));
  CHECK_FALSE(std::filesystem::exists(job.log()));
  CHECK_FALSE(std::filesystem::exists(job.database()));
}

TEST_CASE("the version names the libraries") {
  const Ended version = run_xasink({"version"});
  CHECK(version.code == 0);
  CHECK_THAT(version.out, contains("xasink ") && contains("sqlite 3.") && contains("libpq "));
  CHECK(version.err.empty());
}
