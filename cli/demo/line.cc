#include "cli/demo/line.h"

#include <algorithm>

namespace millrace::cli::demo {
namespace {

// Errors that actors expect. Some are states of a server that end by themselves. A worker gets the others if its work
// was given to other workers while it was away, or after FLUSHALL.
constexpr std::string_view kPassing[] = {"LOADING",   "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "READONLY",
                                         "UNBLOCKED", "NOGROUP",     "NOSUB",    "BADRECEIPT", "NOWORKER",
                                         "NOTOWNER",  "NOWORKERS",   "NOTHELD",  "NOTPENDING", "FULL"};

bool is_passing(const Reply& error) {
  return std::ranges::any_of(kPassing, [&](std::string_view code) { return error.is_error(code); });
}

}  // namespace

Reply Line::try_to(const Words& words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  auto reply = server_.call(views);
  if (!reply) {
    is_lost_ = true;
    stage_.tell(reply.error().text + "; trying again until it is back");
    return {};
  }
  return *std::move(reply);
}

Reply Line::ask(const Words& words) {
  Reply reply = try_to(words);
  if (reply.is_error() && !is_passing(reply)) {
    if (complaint_.empty()) complaint_ = words[0] + ": " + reply.text;
    stage_.tell(words[0] + ": " + reply.text);
  }
  return reply;
}

Reply Line::send(const Words& words) {
  Reply reply = ask(words);
  if (!is_lost_ && !reply.is_error()) stage_.count_message();
  return reply;
}

}  // namespace millrace::cli::demo
