#include "src/telemetry/progress_text.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace xasink::telemetry;
using std::chrono::milliseconds;

TEST_CASE("numbers have a comma before every third digit from the right") {
  CHECK(with_thousands(0) == "0");
  CHECK(with_thousands(999) == "999");
  CHECK(with_thousands(1'000) == "1,000");
  CHECK(with_thousands(12'345) == "12,345");
  CHECK(with_thousands(123'456) == "123,456");
  CHECK(with_thousands(1'234'567) == "1,234,567");
  CHECK(with_thousands(std::numeric_limits<std::uint64_t>::max()) == "18,446,744,073,709,551,615");
}

TEST_CASE("a rate has a digit after the point only while it is small") {
  CHECK(rate_text(0) == "0.0 rows/s");
  CHECK(rate_text(3.46) == "3.5 rows/s");
  CHECK(rate_text(10) == "10 rows/s");
  CHECK(rate_text(98'765.9) == "98,765 rows/s");
}

TEST_CASE("a rate that is no number is not shown as one") {
  CHECK(rate_text(std::numeric_limits<double>::quiet_NaN()) == "? rows/s");
  CHECK(rate_text(std::numeric_limits<double>::infinity()) == "? rows/s");
  CHECK(rate_text(-1) == "? rows/s");
}

TEST_CASE("a duration is told in the two units that matter, cut and never rounded up") {
  CHECK(duration_text(milliseconds(-5)) == "0 ms");
  CHECK(duration_text(milliseconds(850)) == "850 ms");
  CHECK(duration_text(milliseconds(1'000)) == "1 s");
  CHECK(duration_text(milliseconds(12'399)) == "12.3 s");
  CHECK(duration_text(milliseconds(59'999)) == "59.9 s");
  CHECK(duration_text(milliseconds(60'000)) == "1 min 00 s");
  CHECK(duration_text(milliseconds(185'999)) == "3 min 05 s");
  CHECK(duration_text(milliseconds(3'599'999)) == "59 min 59 s");
  CHECK(duration_text(milliseconds(3'600'000)) == "1 h 00 min");
  CHECK(duration_text(milliseconds(86'400'000)) == "1 d 00 h");
  CHECK(duration_text(std::chrono::hours(76)) == "3 d 04 h");
}

TEST_CASE("things are counted in the singular only when there is one") {
  CHECK(counted(0, "branch", "branches") == "0 branches");
  CHECK(counted(1, "branch", "branches") == "1 branch");
  CHECK(counted(1'200, "branch", "branches") == "1,200 branches");
}

TEST_CASE("a progress line tells everything that is known") {
  ProgressFigures figures;
  figures.rows_read = 1'234'567;
  figures.rows_committed = 1'200'000;
  figures.checkpoint = 12;
  figures.in_flight = 1;
  figures.rows_per_second = 98'765.4;
  figures.share = 0.4521;
  figures.left = std::chrono::seconds(72);
  CHECK(
      progress_text("orders", figures) ==
      "orders: 1,234,567 rows read, 1,200,000 committed, 98,765 rows/s, checkpoint 12, 1 in flight, 45.2 %, 1 min 12 s "
      "left");
}

TEST_CASE("a progress line leaves out what is not known") {
  ProgressFigures figures;
  figures.rows_read = 1;
  CHECK(progress_text("orders", figures) == "orders: 1 row read, 0 committed");
}

TEST_CASE("a hundred percent is said only when everything was read") {
  ProgressFigures figures;
  figures.share = 0.99999;
  CHECK_THAT(progress_text("orders", figures), xasink::test::contains("99.9 %"));
  figures.share = 1;
  CHECK_THAT(progress_text("orders", figures), xasink::test::contains("100.0 %"));
  figures.share = 1.5;  // a file that grew
  CHECK_THAT(progress_text("orders", figures), xasink::test::contains("100.0 %"));
}
