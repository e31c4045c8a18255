#include "xasink/driver.hpp"
#include "xasink/error.hpp"

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
      colon == std::string::npos ? "a URL without a scheme" : "the scheme \"" + url.substr(0, colon) + "\"";
  throw Error(Category::configuration, "no driver for " + scheme, "known are: " + known);
}

}  // namespace xasink
