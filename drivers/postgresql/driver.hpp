// The PostgreSQL driver.
#pragma once

#include <memory>

#include "xasink/driver.hpp"

namespace xasink {

/// Serves `postgresql://` and `postgres://`, PostgreSQL 12 and later. Stateless and thread-safe.
[[nodiscard]] std::unique_ptr<Driver> make_postgresql_driver();

}  // namespace xasink
