# What is installed where, and the .deb of it: cpack -G DEB in the build directory.
if(MILLRACE_SANITIZE)
  return()
endif()

set(documents share/doc/millrace)
# Redis loads only modules that are executable, and Debian's cmake installs libraries without that permission.
install(TARGETS millrace_module LIBRARY DESTINATION lib/redis/modules
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
install(TARGETS millrace RUNTIME DESTINATION bin)
install(FILES ${PROJECT_BINARY_DIR}/generated/millrace.1 DESTINATION share/man/man1)
install(FILES ${PROJECT_BINARY_DIR}/generated/millrace.bash DESTINATION share/bash-completion/completions RENAME millrace)
install(FILES ${PROJECT_BINARY_DIR}/generated/_millrace DESTINATION share/zsh/vendor-completions)
foreach(document IN ITEMS README CHANGELOG SECURITY)
  install(FILES ${PROJECT_SOURCE_DIR}/${document}.md DESTINATION ${documents})
endforeach()
# The place of licences in Debian.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${documents} RENAME copyright)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${documents} FILES_MATCHING PATTERN "*.md")
install(FILES ${PROJECT_SOURCE_DIR}/packaging/millrace.conf DESTINATION ${documents}/examples)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME millrace)
set(CPACK_PACKAGE_VENDOR Millrace)
set(CPACK_PACKAGE_CONTACT "The Millrace developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
# "5:" is the epoch of Debian's redis. A module for Redis also loads into Valkey.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "redis-server (>= 5:7.0) | valkey-server (>= 7.2)")
# CPack needs both to find out which libraries the files need.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(FILE_PROGRAM file)
mark_as_advanced(DPKG_SHLIBDEPS FILE_PROGRAM)
if(DPKG_SHLIBDEPS AND FILE_PROGRAM)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS
    ", libc6, libstdc++6, libhiredis0.14 | libhiredis1.1.0, libre2-9 | libre2-10, libsimdjson14 | libsimdjson19, libssl3 | libssl3t64, libwslay1, libzstd1, zlib1g")
endif()
# Without the libraries for other programs, packaging/library.cmake.
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};millrace;Unspecified;/")
include(CPack)
