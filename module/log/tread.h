// TREAD: messages from an offset on, or for a group.
#pragma once

#include "module/log/log_object.h"
#include "module/log/log_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct Tread {
  using Object = Log;
  static constexpr auto parse = parse_tread;

  // To the host TREAD is a reading command, so that anybody can read anywhere, on replicas too. With a group it writes,
  // and must ask itself what the host asks before a write. Who may acknowledge may take.
  static Result<void> check(abi::Context context, abi::StringRef key, const ReadRequest& request);
  // Only what is pending in a group has dates.
  static Now now(const ReadRequest& request) { return request.group ? ObjectTraits<Log>::now() : Now(); }
  static bool only_reads(const ReadRequest& request) { return !request.group; }
  static bool grows(const Log* log, const ReadRequest& request) { return LogOperations::read_grows(log, request); }

  static Outcome<ReadResult> execute(Place<Log>& log, ReadRequest& request, const Call& call, abi::Reply reply);
  // The messages are written by then.
  static void write(abi::Reply, ReadResult) {}

  static bool changes(const ReadRequest& request) { return request.group.has_value(); }
  static Wait start_afresh(ReadRequest& request) { return LogOperations::start_afresh(request); }
  [[gnu::noinline]] static void answer_timeout(abi::Reply reply, const Log* log, const ReadRequest& request);
};

}  // namespace millrace::module
