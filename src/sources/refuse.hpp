// Refusals of records and values, worded the same by every parser: `orders.csv:1042: column "amount": "x" is not …`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "xasink/error.hpp"
#include "xasink/schema.hpp"

namespace xasink::sources {

/// Where a record begins. The name must outlive it.
struct Place {
  const std::string& file;
  std::uint64_t line = 0;  ///< 1-based
};

/// \throws DataError always: the record as a whole can't be taken
[[noreturn]] void refuse_record(const Place& place, const std::string& reason, std::string hint);
/// \throws DataError always. `value` is what the record has for the column, absent for NULL; `reason` follows it.
[[noreturn]] void refuse_value(const Place& place, const std::string& column, std::optional<std::string_view> value,
                               const std::string& reason);

/// `id, customer, amount`
[[nodiscard]] std::string column_names(const TableSchema& schema);
/// The name in double quotes, shortened and with control characters escaped: names in files are data too.
[[nodiscard]] std::string in_quotes(std::string_view name);

}  // namespace xasink::sources
