// Databases that need no server.
#include <sqlite3.h>

#include <algorithm>

#include "drivers/sqlite/dialect.hpp"
#include "drivers/sqlite/driver.hpp"
#include "tests/conformance/driver_under_test.hpp"
#include "tests/support/fake_driver.hpp"
#include "tests/support/temp_dir.hpp"
#include "txn/prepared/prepared_resource.hpp"
#include "txn/staged/staged_resource.hpp"

namespace xasink::test {
namespace {

class FakeTarget final : public TestTarget {
 public:
  explicit FakeTarget(Protocol protocol) : protocol_(protocol) {}

  [[nodiscard]] const FakeDriver& driver() const override { return driver_; }
  [[nodiscard]] std::string url() const override { return "fake:shop"; }
  [[nodiscard]] std::unique_ptr<txn::Resource> resource() const override {
    if (protocol_ == Protocol::staged) return txn::make_staged_resource(driver_, url(), temp_.path() / "spool");
    return txn::make_prepared_resource(driver_, url(), driver_.open_catalog(url())->capabilities());
  }
  [[nodiscard]] std::vector<TextRow> read(const TableSchema& schema) const override {
    auto rows = driver_.server("shop").rows(schema.table);
    std::stable_sort(rows.begin(), rows.end(), [](const FakeRow& a, const FakeRow& b) {
      return std::stoll(a.at(0).value()) < std::stoll(b.at(0).value());
    });
    return rows;
  }

 private:
  Protocol protocol_;
  TempDir temp_;
  FakeDriver driver_;
};

class SqliteTarget final : public TestTarget {
 public:
  [[nodiscard]] const Driver& driver() const override { return *driver_; }
  [[nodiscard]] std::string url() const override { return "sqlite://" + (temp_.path() / "shop.db").string(); }
  [[nodiscard]] std::unique_ptr<txn::Resource> resource() const override {
    return txn::make_staged_resource(*driver_, url(), temp_.path() / "spool");
  }
  [[nodiscard]] std::vector<TextRow> read(const TableSchema& schema) const override {
    std::string sql = "SELECT ";
    for (const Column& column : schema.columns) {
      const std::string name = sqlite::quote(column.name);
      if (&column != schema.columns.data()) sql += ", ";
      sql += "CASE typeof(" + name + ") WHEN 'blob' THEN '\\x' || lower(hex(" + name +
             ")) WHEN 'real' THEN printf('%!.17g', " + name + ") ELSE " + name + " END";
    }
    sql += " FROM " + sqlite::quote(sqlite::table_name(schema.table)) + " ORDER BY 1";
    sqlite3* raw = nullptr;
    if (sqlite3_open((temp_.path() / "shop.db").c_str(), &raw) != SQLITE_OK) throw std::runtime_error("open");
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle(raw, sqlite3_close);
    std::vector<TextRow> rows;
    const auto collect = [](void* to, int columns, char** values, char**) {
      TextRow& row = static_cast<std::vector<TextRow>*>(to)->emplace_back();
      for (int i = 0; i < columns; ++i) {
        if (values[i] == nullptr)
          row.emplace_back();
        else
          row.emplace_back(values[i]);
      }
      return 0;
    };
    if (sqlite3_exec(raw, sql.c_str(), collect, &rows, nullptr) != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(raw));
    return rows;
  }

 private:
  TempDir temp_;
  std::unique_ptr<Driver> driver_ = make_sqlite_driver();
};

}  // namespace

const std::vector<DriverUnderTest>& drivers_under_test() {
  static const std::vector<DriverUnderTest> drivers = {
      {"fake, prepared", [] { return std::make_unique<FakeTarget>(Protocol::prepared); }, Protocol::prepared, true,
       "18446744073709551615",
       [](TestTarget& target) { dynamic_cast<FakeTarget&>(target).driver().server("shop").drop_sessions(); }},
      {"fake, staged",
       [] { return std::make_unique<FakeTarget>(Protocol::staged); },
       Protocol::staged,
       true,
       "18446744073709551615",
       {}},
      {"sqlite, staged",
       [] { return std::make_unique<SqliteTarget>(); },
       Protocol::staged,
       false,
       "9223372036854775807",
       {}}};
  return drivers;
}

}  // namespace xasink::test
