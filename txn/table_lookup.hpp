// The target table's columns, narrowed to those that are written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "xasink/driver.hpp"

namespace xasink::txn {

/// \param columns the columns rows have, in order; empty = all that can be written
/// \throws Error (preflight) if the table or a column is missing, or a NOT NULL column without default is not written
[[nodiscard]] std::shared_ptr<const TableSchema> look_up_table(const Driver& driver, const std::string& url,
                                                               const std::string& table,
                                                               const std::vector<std::string>& columns);

}  // namespace xasink::txn
