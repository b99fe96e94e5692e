# The console's files as a source, ${console_source}: console/embed.mjs gets npm's packages and writes it.
set(console_source ${PROJECT_BINARY_DIR}/generated/console_files.cc)
find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM npm)
mark_as_advanced(NODE_PROGRAM NPM_PROGRAM)
# The sanitizers are for our code; no page is looked at there.
if(MILLRACE_SANITIZE OR NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
  if(NOT MILLRACE_SANITIZE)
    message(NOTICE "The console is left out of the gateway: it needs node and npm (Debian: nodejs, npm).")
  endif()
  file(CONFIGURE OUTPUT ${console_source} @ONLY CONTENT [[
#include "gateway/routes/console_files.h"
std::span<const millrace::gateway::ConsoleFile> millrace::gateway::console_files() { return {}; }
]])
  return()
endif()

# A source without files is of a build to which npm could give nothing: try again.
if(EXISTS ${console_source})
  file(SIZE ${console_source} console_size)
  if(console_size LESS 1000)
    file(REMOVE ${console_source})
  endif()
endif()
file(GLOB_RECURSE console_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/console/*)
list(FILTER console_files EXCLUDE REGEX "/node_modules/")
add_custom_command(OUTPUT ${console_source}
  COMMAND ${NODE_PROGRAM} ${PROJECT_SOURCE_DIR}/console/embed.mjs ${NPM_PROGRAM} ${PROJECT_BINARY_DIR}/console ${console_source}
  DEPENDS ${console_files} COMMENT "Writing the console's files" VERBATIM)
# With -Wpedantic, clang says that a standard compiler may refuse strings of this length.
set_source_files_properties(${console_source} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
