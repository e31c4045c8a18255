# Everything comes from the distribution's packages; nothing is downloaded.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(SQLite3 3.37 REQUIRED)  # STRICT tables
find_package(ZLIB REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(FastFloat REQUIRED)
pkg_check_modules(PQ REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)

# libcsv ships neither a CMake config nor a .pc file.
find_path(CSV_INCLUDE_DIR csv.h REQUIRED)
find_library(CSV_LIBRARY csv REQUIRED)
add_library(xasink_libcsv INTERFACE)
target_include_directories(xasink_libcsv SYSTEM INTERFACE ${CSV_INCLUDE_DIR})
target_link_libraries(xasink_libcsv INTERFACE ${CSV_LIBRARY})

if(XASINK_BUILD_TESTS)
  # Catch2 2 (Debian 12) and 3 (Debian 13): tests include tests/support/catch.hpp, which takes the right header.
  find_package(Catch2 REQUIRED)
endif()
