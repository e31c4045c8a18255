// One include for the Catch2 of Debian 12 (version 2) and of Debian 13 (version 3).
#pragma once

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // as in version 2
namespace xasink::test {
inline auto contains(const std::string& part) { return Catch::Matchers::ContainsSubstring(part); }
}  // namespace xasink::test
#else
#include <catch2/catch.hpp>
namespace xasink::test {
inline auto contains(const std::string& part) { return Catch::Matchers::Contains(part); }
}  // namespace xasink::test
#endif
