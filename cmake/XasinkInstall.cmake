# The library as others use it: all layers in one archive, libxasink.a, and the program. The layers' own targets stay inside,
# so their order is nobody else's concern.
set(XASINK_LAYERS xasink_schema xasink_txn xasink_driver_postgresql xasink_driver_sqlite xasink_drivers)

set(objects ${XASINK_LAYERS})
list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
add_library(xasink_all STATIC ${objects})
add_library(xasink::xasink ALIAS xasink_all)
set_target_properties(xasink_all PROPERTIES OUTPUT_NAME xasink EXPORT_NAME xasink LINKER_LANGUAGE CXX)
target_link_libraries(xasink_all PUBLIC xasink_api Threads::Threads
                                 PRIVATE PkgConfig::PQ PkgConfig::PQXX PkgConfig::XXHASH SQLite::SQLite3 simdjson::simdjson)
set_target_properties(xasink_api PROPERTIES EXPORT_NAME api)
if(XASINK_SANITIZE)
  target_link_options(xasink_all PUBLIC -fsanitize=${XASINK_SANITIZE})
endif()

# build/<preset>/xasink: a place people can type.
set_target_properties(xasink_cli PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/xasink)
file(RELATIVE_PATH XASINK_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/xasink.pc.in xasink.pc @ONLY)
configure_package_config_file(cmake/xasinkConfig.cmake.in xasinkConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(xasinkConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS xasink_api xasink_all EXPORT xasinkTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/xasink DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT xasinkTargets NAMESPACE xasink:: DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/xasinkConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/xasinkConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/xasink.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
