#include "config/byte_size.hpp"

#include <array>

namespace xasink::config {
namespace {

constexpr std::array<Unit, 7> units{{{"B", 1},
                                     {"KiB", 1ULL << 10},
                                     {"MiB", 1ULL << 20},
                                     {"GiB", 1ULL << 30},
                                     {"kB", 1'000},
                                     {"MB", 1'000'000},
                                     {"GB", 1'000'000'000}}};
constexpr std::size_t binary_units = 4;

}  // namespace

Parsed<std::uint64_t> parse_byte_size(std::string_view text) { return parse_quantity(text, units); }

std::string format_byte_size(std::uint64_t bytes) {
  return format_quantity(bytes, std::span(units).first(binary_units));
}

}  // namespace xasink::config
