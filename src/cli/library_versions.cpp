#include "src/cli/library_versions.hpp"

#include <csv.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <simdjson.h>
#include <spdlog/version.h>
#include <sqlite3.h>
#include <xxhash.h>
#include <zlib.h>

#include <CLI/Version.hpp>
#include <nlohmann/json.hpp>
#include <pqxx/version>

#include "build_versions.hpp"

namespace xasink::cli {
namespace {

// 10203 -> "1.2.3"
std::string dotted(int version) {
  return fmt::format("{}.{}.{}", version / 10'000, version / 100 % 100, version % 100);
}

}  // namespace

std::vector<LibraryVersion> library_versions() {
  const int pq = PQlibVersion();
  return {
      {"libpq", fmt::format("{}.{}", pq / 10'000, pq % 10'000)},
      {"libpqxx", PQXX_VERSION},
      {"sqlite", sqlite3_libversion()},
      {"yaml-cpp", std::string(kYamlCppVersion)},
      {"simdjson", fmt::format("{}.{}.{}", static_cast<int>(simdjson::SIMDJSON_VERSION_MAJOR),
                               static_cast<int>(simdjson::SIMDJSON_VERSION_MINOR),
                               static_cast<int>(simdjson::SIMDJSON_VERSION_REVISION))},
      {"libcsv", fmt::format("{}.{}.{}", CSV_MAJOR, CSV_MINOR, CSV_RELEASE)},
      {"zlib", zlibVersion()},
      {"xxhash", dotted(static_cast<int>(XXH_versionNumber()))},
      {"spdlog", fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)},
      {"fmt", dotted(FMT_VERSION)},
      {"nlohmann-json",
       fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
      {"cli11", CLI11_VERSION},
  };
}

}  // namespace xasink::cli
