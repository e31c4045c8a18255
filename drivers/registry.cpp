#include "drivers/postgresql/driver.hpp"
#include "drivers/sqlite/driver.hpp"
#include "xasink/drivers.hpp"
#include "xasink/error.hpp"

namespace xasink {

const DriverRegistry& default_drivers() {
  static const DriverRegistry kDrivers = [] {
    DriverRegistry registry;
    registry.add(make_postgresql_driver());
    registry.add(make_sqlite_driver());
    return registry;
  }();
  return kDrivers;
}

}  // namespace xasink
