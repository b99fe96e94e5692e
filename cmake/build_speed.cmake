# Options and functions that make builds faster.

# Compiling a small file takes most of its time for the headers of the standard library, so the sources of one folder
# are compiled as one unit. Names in anonymous namespaces must therefore differ within a folder. Switch it off where
# each file must be compiled alone: for the build that proves that each file includes what it uses.
option(MILLRACE_UNITY "Compile the sources of one folder as one unit" ON)
option(MILLRACE_PRECOMPILE "Precompile the headers that all tests include" ON)

# millrace_units(TARGET): one unit for each folder of the target's sources.
function(millrace_units target)
  if(NOT MILLRACE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(NOT IS_ABSOLUTE ${source})
      continue()  # objects of another target
    endif()
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# millrace_join_tests(RESULT TARGET COUNT FILE...): sets RESULT to what the target compiles in place of the files, COUNT
# files to a unit. Compiled alone, each file would spend most of its time on headers that its neighbours include,
# too, and on templates that they use.
function(millrace_join_tests result target count)
  if(NOT MILLRACE_UNITY)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(files ${ARGN})
  list(SORT files)
  list(LENGTH files length)
  set(units "")
  set(first 0)
  while(first LESS length)
    list(SUBLIST files ${first} ${count} sources)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/${target}_from_${first}.cc)
    add_custom_command(OUTPUT ${unit}
      COMMAND ${CMAKE_COMMAND} "-DSOURCES=${sources}" -DUNIT=${unit} -P ${PROJECT_SOURCE_DIR}/cmake/join_tests.cmake
      DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/join_tests.cmake VERBATIM)
    list(APPEND units ${unit})
    math(EXPR first "${first} + ${count}")
  endwhile()
  # A target of its own for those who read the units and do not build the tests: tools/check_tidy.
  if(NOT TARGET joined_tests)
    add_custom_target(joined_tests)
  endif()
  add_custom_target(joined_${target} DEPENDS ${units})
  add_dependencies(joined_tests joined_${target})
  set(${result} ${units} PARENT_SCOPE)
endfunction()

# millrace_precompile(TARGET HEADER...): precompiles the standard headers that most tests include, and the given ones.
function(millrace_precompile target)
  if(NOT MILLRACE_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN}
    <algorithm> <array> <cstdint> <deque> <expected> <functional> <initializer_list> <map> <memory> <optional> <random>
    <set> <span> <string> <string_view> <unordered_map> <utility> <vector>)
endfunction()

# millrace_without_lto(TARGET): links the target without link-time optimization, which would take half a minute. Its
# objects contain machine code for this case (module/CMakeLists.txt).
function(millrace_without_lto target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_link_options(${target} PRIVATE -fno-lto)
  endif()
endfunction()

# millrace_quick_code(TARGET): with sanitizers, compiles the target with -O0, because clang needs two to three
# times as long with -O1. It is for all but the engine, which keeps -O1, because random histories spend their
# time there.
function(millrace_quick_code target)
  if(MILLRACE_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()
