// PostgreSQL under both protocols, on one private server for the whole program.
#include "drivers/postgresql/driver.hpp"
#include "tests/conformance/driver_under_test.hpp"
#include "tests/support/private_postgres.hpp"
#include "tests/support/temp_dir.hpp"
#include "txn/prepared/prepared_resource.hpp"
#include "txn/staged/staged_resource.hpp"

namespace xasink::test {
namespace {

PrivatePostgres& server() {
  static PrivatePostgres postgres;
  return postgres;
}

class PostgresTarget final : public TestTarget {
 public:
  explicit PostgresTarget(Protocol protocol) : protocol_(protocol) {}

  [[nodiscard]] const Driver& driver() const override { return *driver_; }
  [[nodiscard]] std::string url() const override { return server().url(); }
  [[nodiscard]] std::unique_ptr<txn::Resource> resource() const override {
    if (protocol_ == Protocol::staged) return txn::make_staged_resource(*driver_, url(), temp_.path() / "spool");
    return txn::make_prepared_resource(*driver_, url(), driver_->open_catalog(url())->capabilities());
  }
  [[nodiscard]] std::vector<TextRow> read(const TableSchema& schema) const override {
    std::string columns;
    for (const Column& column : schema.columns) {
      std::string name;
      for (const char c : column.name) name += c == '"' ? "\"\"" : std::string(1, c);
      columns += (columns.empty() ? "" : ", ") + ("\"" + name + "\"::text");
    }
    std::vector<TextRow> rows;
    for (auto& fields : server().query("SET TimeZone = 'UTC'; SELECT " + columns + " FROM " + schema.table +
                                       " ORDER BY " + schema.columns.front().name)) {
      TextRow& row = rows.emplace_back();
      for (std::string& field : fields) {
        if (field == "\\N")
          row.emplace_back();
        else
          row.emplace_back(std::move(field));
      }
    }
    return rows;
  }

 private:
  Protocol protocol_;
  TempDir temp_;
  std::unique_ptr<Driver> driver_ = make_postgresql_driver();
};

void cut_sessions(TestTarget& /*target*/) {
  static_cast<void>(
      server().query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                     " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"));
}

}  // namespace

const std::vector<DriverUnderTest>& drivers_under_test() {
  static const std::vector<DriverUnderTest> drivers = {
      {.name = "postgresql, prepared",
       .make = [] { return std::make_unique<PostgresTarget>(Protocol::prepared); },
       .cut_sessions = cut_sessions},
      {.name = "postgresql, staged",
       .make = [] { return std::make_unique<PostgresTarget>(Protocol::staged); }}};
  return drivers;
}

}  // namespace xasink::test
