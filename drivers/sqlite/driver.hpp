// SQLite as a target. URLs: `sqlite:relative.db`, `sqlite:///absolute.db`; the path is taken as written, without
// escapes.
//
// SQLite has no two-phase commit: branches go through the staged protocol, which applies each as one local transaction.
#pragma once

#include <memory>

#include "xasink/driver.hpp"

namespace xasink {

[[nodiscard]] std::unique_ptr<Driver> make_sqlite_driver();

}  // namespace xasink
