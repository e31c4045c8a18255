// What a PostgreSQL server can do and what its tables look like.
#pragma once

#include <memory>

#include "drivers/postgresql/conninfo.hpp"
#include "xasink/driver.hpp"

namespace xasink::postgresql {

/// \throws Error as Session's connect; no exception of the client library gets out of the catalog
[[nodiscard]] std::unique_ptr<Catalog> open_catalog(const Conninfo& info);

}  // namespace xasink::postgresql
