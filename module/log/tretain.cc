#include "module/log/log_changes.h"
#include "module/log/log_resources.h"

namespace millrace::module {

namespace {

void write_retention(abi::Reply reply, const Retention& keep) {
  reply.map(7);
  reply.bytes("count");
  reply.integer(static_cast<int64_t>(keep.count));
  reply.bytes("age");
  reply.integer(static_cast<int64_t>(keep.age_ms));
  reply.bytes("bytes");
  reply.integer(static_cast<int64_t>(keep.bytes));
  reply.bytes("latest");
  reply.bytes(keep.latest ? "yes" : "no");
  reply.bytes("acked");
  reply.bytes(keep.acked ? "yes" : "no");
  reply.bytes("ids");
  reply.integer(static_cast<int64_t>(keep.ids_ms == 0 ? log_limits().ids_ms : uint64_t{keep.ids_ms}));
  reply.bytes("refuse");
  reply.bytes(keep.refuse ? "yes" : "no");
}

}  // namespace

Outcome<std::optional<Retention>> Tretain::execute(Place<Log>& log, RetainRequest& request, const Call& call) {
  Outcome<std::optional<Retention>> done;
  if (request.only_shows()) {
    done.answer = log.get() == nullptr ? Retention{} : log.get()->retention();
  } else {
    done.consequences = log_operations().retain(log, request, call).consequences;
  }
  return done;
}

void Tretain::write(abi::Reply reply, const std::optional<Retention>& keep) {
  keep ? write_retention(reply, *keep) : reply.ok();
}

}  // namespace millrace::module
