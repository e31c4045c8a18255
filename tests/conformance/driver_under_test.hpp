// What the suite needs to know of a driver, and where the drivers differ.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "txn/resource.hpp"

namespace xasink::test {

/// A NULL is empty.
using TextRow = std::vector<std::optional<std::string>>;

/// A database for one test: empty, or one in which nothing has the names this test uses.
class TestTarget {
 public:
  TestTarget() = default;
  TestTarget(const TestTarget&) = delete;
  TestTarget& operator=(const TestTarget&) = delete;
  virtual ~TestTarget() = default;

  [[nodiscard]] virtual const Driver& driver() const = 0;
  [[nodiscard]] virtual std::string url() const = 0;
  /// Under the protocol that is tested.
  [[nodiscard]] virtual std::unique_ptr<txn::Resource> resource() const = 0;
  /// Committed rows as the database shows them, by a way that is not the driver's, ordered by the first column.
  [[nodiscard]] virtual std::vector<TextRow> read(const TableSchema& schema) const = 0;
};

/// The members' defaults are what a driver should be.
struct DriverUnderTest {
  std::string name = {};  ///< driver and protocol
  std::function<std::unique_ptr<TestTarget>()> make = {};
  bool two_phase = true;      ///< sessions can prepare
  std::string most_unsigned = "18446744073709551615";  ///< the largest uint64 that can be stored
  /// Ends every open session, as a network does; empty where there is none, or where branches don't depend on one.
  std::function<void(TestTarget&)> cut_sessions = {};
};

/// Defined once per program of the suite.
[[nodiscard]] const std::vector<DriverUnderTest>& drivers_under_test();

}  // namespace xasink::test
