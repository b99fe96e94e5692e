#ifdef MILLRACE_FAILURE_POINTS

#include "module/runtime/failure_point.h"

#include <cctype>
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

void failure_point(const char* type, const char* step, const char* word) {
  std::string name = std::string(type) + "." + step;
  failure_point(name.c_str());
  if (word == nullptr) return;
  name += '-';
  for (const char* at = word; *at != 0; ++at) name += static_cast<char>(std::tolower(*at));
  failure_point(name.c_str());
}

}  // namespace millrace::module

#endif
