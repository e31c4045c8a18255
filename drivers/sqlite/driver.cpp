#include "drivers/sqlite/driver.hpp"

#include "drivers/sqlite/catalog.hpp"
#include "drivers/sqlite/column_plan.hpp"
#include "drivers/sqlite/connection.hpp"
#include "drivers/sqlite/location.hpp"
#include "drivers/sqlite/session.hpp"

namespace xasink {
namespace sqlite {
namespace {

class SqliteDriver final : public Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "sqlite"; }
  [[nodiscard]] bool accepts(std::string_view url) const noexcept override { return is_sqlite_url(url); }
  [[nodiscard]] std::string resource_name(const std::string& url) const override { return url_of(path_of(url)); }
  [[nodiscard]] Protocol default_protocol() const noexcept override { return Protocol::staged; }
  [[nodiscard]] std::unique_ptr<Session> connect(const std::string& url) const override {
    return std::make_unique<SqliteSession>(path_of(url));
  }
  [[nodiscard]] std::unique_ptr<Catalog> open_catalog(const std::string& url) const override {
    return std::make_unique<SqliteCatalog>(path_of(url));
  }
  [[nodiscard]] RowCheck row_check(const std::string& url, const TableSchema& schema) const override {
    const Connection connection(path_of(url), Connection::Mode::inspect);
    return [plan = plan_columns(connection, schema)](const RowBatch& batch) { check_values(plan, batch); };
  }
};

}  // namespace
}  // namespace sqlite

std::unique_ptr<Driver> make_sqlite_driver() { return std::make_unique<sqlite::SqliteDriver>(); }

}  // namespace xasink
