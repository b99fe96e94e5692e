# The engine and the client as libraries for other programs: cmake --install build --component development. Programs
# find them with find_package(millrace) or pkg-config; docs/embedding.md has an example.
if(MILLRACE_SANITIZE)
  return()
endif()
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(library_headers ${CMAKE_INSTALL_INCLUDEDIR}/millrace)
set(library_config ${CMAKE_INSTALL_LIBDIR}/cmake/millrace)

# Paths are relative to the file, because `cmake --install --prefix` may put it anywhere.
file(RELATIVE_PATH prefix_from_pkgconfig /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig "${prefix_from_pkgconfig}")
foreach(part IN ITEMS engine client)
  set_target_properties(millrace_${part} PROPERTIES EXPORT_NAME ${part})
  add_library(millrace::${part} ALIAS millrace_${part})
  # Headers include each other by their paths from the top of the sources, which is this folder.
  target_include_directories(millrace_${part} PUBLIC
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> $<INSTALL_INTERFACE:${library_headers}>)
  install(TARGETS millrace_${part} EXPORT millraceTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT development)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${part} DESTINATION ${library_headers} COMPONENT development
    FILES_MATCHING PATTERN "*.h")
  configure_file(packaging/millrace-${part}.pc.in generated/millrace-${part}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/generated/millrace-${part}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)
endforeach()

install(EXPORT millraceTargets NAMESPACE millrace:: DESTINATION ${library_config} COMPONENT development)
configure_package_config_file(packaging/millraceConfig.cmake.in generated/millraceConfig.cmake
  INSTALL_DESTINATION ${library_config})
write_basic_package_version_file(generated/millraceConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/millraceConfig.cmake
  ${PROJECT_BINARY_DIR}/generated/millraceConfigVersion.cmake DESTINATION ${library_config} COMPONENT development)
