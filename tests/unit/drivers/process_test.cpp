#include <csignal>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

using xasink::test::contains;
using xasink::test::Process;
using namespace std::chrono_literals;

TEST_CASE("a program's streams and exit code are kept apart") {
  Process::Options options;
  options.environment = {{"WORD", "hello"}};
  options.directory = "/usr";
  Process process({"sh", "-c", "echo $WORD from $(pwd); echo no >&2; exit 7"}, options);
  CHECK(process.wait(10s) == 7);
  CHECK(process.out() == "hello from /usr\n");
  CHECK(process.err() == "no\n");
}

TEST_CASE("a killed program ends with 128 and the signal") {
  Process process({"sleep", "60"});
  CHECK_FALSE(process.wait(20ms));
  process.signal(SIGKILL);
  CHECK(process.wait(10s) == 128 + SIGKILL);
}

TEST_CASE("a program that stops itself is seen and can go on") {
  Process process({"sh", "-c", "kill -STOP $$; exit 3"});
  REQUIRE(process.wait_stopped(10s));
  CHECK(process.running());
  process.signal(SIGCONT);
  CHECK(process.wait(10s) == 3);
}

TEST_CASE("a program that can't be started is an error, not an exit code") {
  CHECK_THROWS_WITH(Process({"/nonexistent/program"}), contains("can't start /nonexistent/program"));
}

TEST_CASE("run throws with the program's words when it fails") {
  CHECK(xasink::test::run({"echo", "fine"}) == "fine\n");
  CHECK_THROWS_WITH(xasink::test::run({"sh", "-c", "echo broken >&2; exit 2"}), contains("ended with 2: broken"));
}
