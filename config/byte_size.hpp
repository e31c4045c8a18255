// Byte sizes of a job file: `64MiB`, `1GB`, `512B`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/quantity.hpp"

namespace xasink::config {

inline constexpr std::string_view byte_size_hint =
    "write a whole number and one of the units B, KiB, MiB, GiB (powers of 1024) or kB, MB, GB (powers of 1000), such "
    "as "
    "`64MiB`";

[[nodiscard]] Parsed<std::uint64_t> parse_byte_size(std::string_view text);
/// The shortest exact spelling, in powers of 1024, that parse_byte_size takes back.
[[nodiscard]] std::string format_byte_size(std::uint64_t bytes);

}  // namespace xasink::config
