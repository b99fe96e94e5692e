#ifdef MILLRACE_FAILURE_POINTS

#include "module/runtime/failure_point.h"

#include <csignal>
#include <fstream>
#include <map>
#include <string>

namespace millrace::module {

void failure_point(const char* name) {
  static std::map<std::string, int> passes;
  const int pass = ++passes[name];
  std::ifstream file("failure-point");
  std::string wanted;
  if (!(file >> wanted) || wanted != name) return;
  int wanted_pass = 0;
  if (!(file >> wanted_pass) || wanted_pass == pass) std::raise(SIGKILL);
}

}  // namespace millrace::module

#endif
