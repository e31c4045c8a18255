#include "drivers/postgresql/driver.hpp"

#include "drivers/postgresql/catalog.hpp"
#include "drivers/postgresql/conninfo.hpp"
#include "drivers/postgresql/session.hpp"

namespace xasink {
namespace {

class PostgresqlDriver final : public Driver {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "postgresql"; }
  [[nodiscard]] bool accepts(std::string_view url) const noexcept override {
    return postgresql::has_postgresql_scheme(url);
  }
  [[nodiscard]] std::string resource_name(const std::string& url) const override {
    return postgresql::Conninfo::parse(url).resource_name();
  }
  [[nodiscard]] Protocol default_protocol() const noexcept override { return Protocol::prepared; }
  [[nodiscard]] std::unique_ptr<Session> connect(const std::string& url) const override {
    return std::make_unique<postgresql::PostgresqlSession>(postgresql::Conninfo::parse(url));
  }
  [[nodiscard]] std::unique_ptr<Catalog> open_catalog(const std::string& url) const override {
    return postgresql::open_catalog(postgresql::Conninfo::parse(url));
  }
  [[nodiscard]] RowCheck row_check(const std::string& url, const TableSchema& schema) const override {
    auto connection = postgresql::Connection::open(postgresql::Conninfo::parse(url));
    const auto target = postgresql::look_up(connection, schema.table);
    // Encoding a value is what finds out whether it fits. What only the server knows (keys, constraints, labels of an
    // enum) is not found here.
    auto encoder = std::make_shared<postgresql::CopyEncoder>(schema, target.table);
    return [encoder](const RowBatch& batch) {
      for (std::size_t row = 0; row < batch.rows();) {
        encoder->clear();
        row = encoder->encode(batch, row);
      }
    };
  }
};

}  // namespace

std::unique_ptr<Driver> make_postgresql_driver() { return std::make_unique<PostgresqlDriver>(); }

}  // namespace xasink
