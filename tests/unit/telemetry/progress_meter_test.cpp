#include "src/telemetry/progress_meter.hpp"

#include "tests/support/catch.hpp"

using namespace xasink;
using namespace xasink::telemetry;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

job::JobProgress at(std::uint64_t rows, std::uint64_t done, std::uint64_t total) {
  job::JobProgress progress;
  progress.rows_read = rows;
  progress.source = sources::Source::Progress{done, total};
  return progress;
}

const ProgressMeter::TimePoint kStart{seconds(1'000)};

}  // namespace

TEST_CASE("the first look knows no rate and no time left") {
  ProgressMeter meter;
  const auto figures = meter.update(kStart, at(100, 50, 200));
  CHECK_FALSE(figures.rows_per_second);
  CHECK_FALSE(figures.left);
  CHECK(figures.share == Approx(0.25));
}

TEST_CASE("rate and time left come from what was read in the meantime") {
  ProgressMeter meter;
  static_cast<void>(meter.update(kStart, at(0, 0, 10'000)));
  const auto figures = meter.update(kStart + seconds(2), at(300, 2'000, 10'000));
  CHECK(figures.rows_per_second == Approx(150));
  CHECK(figures.left == seconds(8));
}

TEST_CASE("only the last seconds count for the rate") {
  ProgressMeter meter;
  std::uint64_t rows = 0;
  for (int tenth = 0; tenth < 100; ++tenth) {
    rows += 1'000;
    static_cast<void>(meter.update(kStart + milliseconds(100 * tenth), at(rows, rows, 1'000'000)));
  }
  ProgressFigures figures;
  for (int tenth = 100; tenth < 170; ++tenth)
    figures = meter.update(kStart + milliseconds(100 * tenth), at(rows, rows, 1'000'000));
  CHECK(figures.rows_per_second == Approx(0));
  CHECK_FALSE(figures.left);  // it stands still: nobody can tell
}

TEST_CASE("a source that went back begins a new measurement") {
  ProgressMeter meter;
  static_cast<void>(meter.update(kStart, at(0, 0, 10'000)));
  static_cast<void>(meter.update(kStart + seconds(1), at(500, 5'000, 10'000)));
  CHECK_FALSE(meter.update(kStart + seconds(2), at(500, 1'000, 10'000)).rows_per_second);
  CHECK(meter.update(kStart + seconds(3), at(600, 2'000, 10'000)).rows_per_second == Approx(100));
}

TEST_CASE("a source without an end has a rate, but no share and no time left") {
  ProgressMeter meter;
  job::JobProgress progress;
  static_cast<void>(meter.update(kStart, progress));
  progress.rows_read = 50;
  const auto figures = meter.update(kStart + seconds(1), progress);
  CHECK(figures.rows_per_second == Approx(50));
  CHECK_FALSE(figures.share);
  CHECK_FALSE(figures.left);
}
