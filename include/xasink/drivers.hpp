// The drivers that come with xasink.
#pragma once

#include "xasink/driver.hpp"

namespace xasink {

/// PostgreSQL (`postgresql://`, `postgres://`) and SQLite (`sqlite:`).
[[nodiscard]] const DriverRegistry& default_drivers();

}  // namespace xasink
