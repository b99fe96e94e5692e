// `millrace`, the tool people type.
#include <CLI/CLI.hpp>

#include "version.h"

int main(int argc, char** argv) {
  CLI::App app("Millrace: message delivery for Redis and Valkey", "millrace");
  app.set_version_flag("--version", "millrace " MILLRACE_VERSION);
  app.footer("The server side is a module: redis-server --loadmodule millrace.so");
  CLI11_PARSE(app, argc, argv);
  std::cout << app.help();
  return 0;
}
