#include "cli/demo/stage.h"

#include <cstdio>

namespace millrace::cli::demo {

void Stage::rest(Milliseconds time) {
  std::unique_lock hold(lock_);
  closes_.wait_for(hold, time, [this] { return is_closing(); });
}

void Stage::close() {
  const std::lock_guard hold(lock_);
  is_closing_ = true;
  closes_.notify_all();
}

void Stage::tell(const std::string& sentence) {
  const std::lock_guard hold(lock_);
  if (told_.insert(sentence).second) std::fprintf(stderr, "millrace demo: %s\n", sentence.c_str());
}

}  // namespace millrace::cli::demo
