#include <thread>

#include "tests/support/catch.hpp"
#include "txn/backoff.hpp"

using std::chrono::milliseconds;

TEST_CASE("waits grow to the bound and keep their jitter") {
  xasink::txn::Backoff backoff({milliseconds{100}, milliseconds{400}, milliseconds{1'000'000}});
  const milliseconds steps[] = {milliseconds{100}, milliseconds{200}, milliseconds{400}, milliseconds{400}};
  for (const milliseconds step : steps) {
    const auto wait = backoff.next();
    REQUIRE(wait);
    CHECK(*wait >= step / 2);
    CHECK(*wait <= step);
  }
  backoff.reset();
  CHECK(*backoff.next() <= milliseconds{100});
}

TEST_CASE("there is no next attempt once the limit has passed, and the last one is not later than it") {
  xasink::txn::Backoff backoff({milliseconds{10'000}, milliseconds{10'000}, milliseconds{30}});
  const auto wait = backoff.next();
  REQUIRE(wait);
  CHECK(*wait <= milliseconds{30});
  std::this_thread::sleep_for(milliseconds{40});
  CHECK_FALSE(backoff.next());
  CHECK_FALSE(backoff.wait());
}
