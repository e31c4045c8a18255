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
};

}  // namespace

std::unique_ptr<Driver> make_postgresql_driver() { return std::make_unique<PostgresqlDriver>(); }

}  // namespace xasink
