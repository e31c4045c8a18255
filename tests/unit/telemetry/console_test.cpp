#include "src/telemetry/console.hpp"

#include <fcntl.h>
#include <pty.h>
#include <spdlog/logger.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "tests/support/catch.hpp"

using xasink::telemetry::Console;

namespace {

struct Terminal {
  explicit Terminal(unsigned short columns) {
    winsize size{};
    size.ws_col = columns;
    size.ws_row = 24;
    REQUIRE(openpty(&outside, &inside, nullptr, nullptr, &size) == 0);
    REQUIRE(fcntl(outside, F_SETFL, O_NONBLOCK) == 0);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    close(inside);
    close(outside);
  }

  [[nodiscard]] std::string shown() const {
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t n = 0; (n = read(outside, piece.data(), piece.size())) > 0;)
      text.append(piece.data(), static_cast<std::size_t>(n));
    return text;
  }

  int outside = -1;
  int inside = -1;
};

constexpr const char* kErase = "\r\x1b[K";

}  // namespace

TEST_CASE("on a terminal the progress line makes way for a log line and comes back below it") {
  const Terminal terminal(80);
  {
    const auto console = std::make_shared<Console>(terminal.inside);
    REQUIRE(console->is_terminal());
    spdlog::logger log("test", console);
    log.set_pattern("%l: %v");
    console->show_progress("10 rows");
    CHECK(terminal.shown() == std::string(kErase) + "10 rows");
    log.info("news");
    CHECK(terminal.shown() == std::string(kErase) + "info: news\r\n10 rows");
    console->show_progress("20 rows");
    CHECK(terminal.shown() == std::string(kErase) + "20 rows");
  }
  CHECK(terminal.shown() == kErase);
}

TEST_CASE("a progress line is cut before the last column, so that it never wraps") {
  const Terminal terminal(8);
  Console console(terminal.inside);
  console.show_progress("0123456789");
  CHECK(terminal.shown() == std::string(kErase) + "0123456");
}

TEST_CASE("a progress line that did not change is not written again") {
  const Terminal terminal(80);
  Console console(terminal.inside);
  console.show_progress("same");
  static_cast<void>(terminal.shown());
  console.show_progress("same");
  CHECK(terminal.shown().empty());
}

TEST_CASE("where there is no terminal only log lines are written") {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  {
    const auto console = std::make_shared<Console>(ends[1]);
    CHECK_FALSE(console->is_terminal());
    spdlog::logger log("test", console);
    log.set_pattern("%v");
    console->show_progress("10 rows");
    log.info("news");
  }
  close(ends[1]);
  std::array<char, 100> text{};
  const ssize_t size = read(ends[0], text.data(), text.size());
  close(ends[0]);
  REQUIRE(size > 0);
  CHECK(std::string(text.data(), static_cast<std::size_t>(size)) == "news\n");
}

TEST_CASE("a standard error that is closed does not stop anybody") {
  const auto console = std::make_shared<Console>(-1);
  spdlog::logger log("test", console);
  CHECK_NOTHROW(log.info("news"));
  CHECK_NOTHROW(console->show_progress("10 rows"));
}
