// "did you mean …?"
#pragma once

#include <span>
#include <string_view>

namespace xasink::config {

/// The known word that takes the fewest edits (insert, delete, replace, swap of neighbours) to reach from `word`,
/// letters of either case alike; empty if none is near enough to be what was meant.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace xasink::config
