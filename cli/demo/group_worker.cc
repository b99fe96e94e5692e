#include "cli/demo/group_worker.h"

#include "cli/demo/names.h"

namespace millrace::cli::demo {

Milliseconds GroupWorker::act(Line& line) {
  if (has_break(line.stage())) return Milliseconds(500);
  const Reply messages = line.ask({"TREADGROUP", key(habits_.log), "1", "20", "BLOCK", "500", "GROUP", habits_.group,
                                   "RETRY", "8000", "0", "CONSUMER", habits_.name});
  Words done = {"TACK", key(habits_.log), habits_.group};
  Words failed = {"TNACK", key(habits_.log), habits_.group, "DELAY", "1500"};
  const size_t none_done = done.size(), none_failed = failed.size();
  for (const Reply& message : messages.items) {
    if (message.items.size() < 3 || line.once_in(habits_.forgets_once_in)) continue;
    (fails(line, message) ? failed : done).push_back(std::to_string(message.items[0].integer));
  }
  if (done.size() > none_done) line.ask(done);
  if (failed.size() > none_failed) line.ask(failed);
  return line.about(Milliseconds(60));
}

bool GroupWorker::has_break(const Stage& stage) const {
  if (habits_.works == Milliseconds(0)) return false;
  return stage.age() % (habits_.works + habits_.rests) >= habits_.works;
}

bool GroupWorker::fails(Line& line, const Reply& message) const {
  if (!habits_.hopeless.empty() && message.items[2].text.find(habits_.hopeless) != std::string::npos) return true;
  return line.once_in(habits_.fails_once_in);
}

}  // namespace millrace::cli::demo
