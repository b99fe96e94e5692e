// The commands that only read a log.
#pragma once

#include "module/log/log_object.h"
#include "module/log/log_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct Tinfo {
  using Object = Log;
  static constexpr auto parse = parse_nothing;
  static void show(abi::Reply reply, const Shown<Log>& shown, NoRequest);
};

struct Tseek {
  using Object = Log;
  static constexpr auto parse = parse_tseek;
  static void show(abi::Reply reply, const Shown<Log>& shown, UnixMs time) {
    reply.integer(shown.object == nullptr ? 1 : static_cast<int64_t>(shown.object->seek(time).value()));
  }
};

struct TschedList {
  using Object = Log;
  static constexpr auto parse = parse_tsched_list;
  static void show(abi::Reply reply, const Shown<Log>& shown, const ListScheduleRequest& request);
};

struct TgroupList {
  using Object = Log;
  static constexpr auto parse = parse_tgroup_list;
  static void show(abi::Reply reply, const Shown<Log>& shown, const ListGroupsRequest& request);
};

struct TgroupPending {
  using Object = Log;
  static constexpr auto parse = parse_tgroup_pending;
  static void show(abi::Reply reply, const Shown<Log>& shown, const PendingRequest& request);
};

}  // namespace millrace::module
