// Databases that need no server.
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "drivers/sqlite/dialect.hpp"
#include "drivers/sqlite/driver.hpp"
#include "schema/hex.hpp"
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

/// As schema::append_text reads it.
std::optional<std::string> text_of(sqlite3_stmt* row, int column) {
  const auto bytes = [&] {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(row, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, column));
    return size == 0 ? std::string() : std::string(data, size);
  };
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: return std::nullopt;
    case SQLITE_BLOB: {
      std::string text = "\\x";
      schema::append_hex(text, bytes());
      return text;
    }
    // Not SQLite's own text, which is of 15 digits.
    case SQLITE_FLOAT: {
      std::array<char, 64> text{};
      const auto end = std::to_chars(text.data(), text.data() + text.size(), sqlite3_column_double(row, column)).ptr;
      return std::string(text.data(), end);
    }
    default: return bytes();
  }
}

class SqliteTarget final : public TestTarget {
 public:
  [[nodiscard]] const Driver& driver() const override { return *driver_; }
  [[nodiscard]] std::string url() const override { return "sqlite://" + (temp_.path() / "shop.db").string(); }
  [[nodiscard]] std::unique_ptr<txn::Resource> resource() const override {
    return txn::make_staged_resource(*driver_, url(), temp_.path() / "spool");
  }
  [[nodiscard]] std::vector<TextRow> read(const TableSchema& schema) const override {
    std::string columns;
    for (const Column& column : schema.columns) columns += (columns.empty() ? "" : ", ") + sqlite::quote(column.name);
    const std::string sql =
        "SELECT " + columns + " FROM " + sqlite::quote(sqlite::table_name(schema.table)) + " ORDER BY 1";
    sqlite3* raw = nullptr;
    const int opened = sqlite3_open((temp_.path() / "shop.db").c_str(), &raw);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> handle(raw, sqlite3_close);
    sqlite3_stmt* prepared = nullptr;
    if (opened != SQLITE_OK || sqlite3_prepare_v2(raw, sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(raw));
    }
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
    std::vector<TextRow> rows;
    while (sqlite3_step(prepared) == SQLITE_ROW) {
      TextRow& row = rows.emplace_back();
      for (int i = 0; i < sqlite3_column_count(prepared); ++i) row.push_back(text_of(prepared, i));
    }
    return rows;
  }

 private:
  TempDir temp_;
  std::unique_ptr<Driver> driver_ = make_sqlite_driver();
};

}  // namespace

const std::vector<DriverUnderTest>& drivers_under_test() {
  static const std::vector<DriverUnderTest> drivers = {
      {.name = "fake, prepared",
       .make = [] { return std::make_unique<FakeTarget>(Protocol::prepared); },
       .cut_sessions =
           [](TestTarget& target) { dynamic_cast<FakeTarget&>(target).driver().server("shop").drop_sessions(); }},
      {.name = "fake, staged", .make = [] { return std::make_unique<FakeTarget>(Protocol::staged); }},
      {.name = "sqlite, staged",
       .make = [] { return std::make_unique<SqliteTarget>(); },
       .two_phase = false,
       .most_unsigned = "9223372036854775807"}};
  return drivers;
}

}  // namespace xasink::test
