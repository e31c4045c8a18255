#include "drivers/postgresql/driver.hpp"
#include "xasink/drivers.hpp"
#include "xasink/error.hpp"
#ifdef XASINK_HAVE_SQLITE
#include "drivers/sqlite/driver.hpp"
#endif

namespace xasink {

const Driver& DriverRegistry::for_url(const std::string& url) const {
  std::string known;
  for (const auto& driver : drivers_) {
    if (driver->accepts(url)) return *driver;
    known += (known.empty() ? "" : ", ") + std::string(driver->name());
  }
  // Only the scheme is shown: the rest may hold a password.
  const auto colon = url.find(':');
  const std::string scheme =
      colon == std::string::npos ? "a URL without a scheme" : "the scheme '" + url.substr(0, colon) + "'";
  throw Error(Category::configuration, "no driver for " + scheme, "known are: " + known);
}

const DriverRegistry& default_drivers() {
  static const DriverRegistry kDrivers = [] {
    DriverRegistry registry;
    registry.add(make_postgresql_driver());
#ifdef XASINK_HAVE_SQLITE
    registry.add(make_sqlite_driver());
#endif
    return registry;
  }();
  return kDrivers;
}

}  // namespace xasink
