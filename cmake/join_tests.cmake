# cmake -DSOURCES=FILE;... -DUNIT=FILE -P join_tests.cmake: one file to compile, of several files of tests.
#
# Helpers of the same name in two files stay apart: behind `namespace {` comes a namespace with the name of the file.
# Whatever its first line opens is closed by `}  // namespace`, so a file of tests has both lines once.
set(unit "")
foreach(source IN LISTS SOURCES)
  get_filename_component(name ${source} NAME_WE)
  file(READ ${source} text)
  string(REGEX MATCHALL "\nnamespace {\n" opened "${text}")
  string(REGEX MATCHALL "\n}  // namespace\n" closed "${text}")
  list(LENGTH opened times_opened)
  list(LENGTH closed times_closed)
  if(NOT (times_opened EQUAL 1 AND times_closed EQUAL 1))
    message(FATAL_ERROR "${source}: a file of tests has one `namespace {`, closed by `}  // namespace`, each on a line of its own")
  endif()
  string(REPLACE "\nnamespace {\n" "\nnamespace { namespace ${name} {\n" text "${text}")
  string(REPLACE "\n}  // namespace\n" "\n}}  // namespace\n" text "${text}")
  string(APPEND unit "#line 1 \"${source}\"\n${text}\n")
endforeach()
file(WRITE ${UNIT} "${unit}")
