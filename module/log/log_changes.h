// The commands that change a log, except TREAD, and how each is answered.
#pragma once

#include "module/log/log_object.h"
#include "module/log/log_requests.h"
#include "module/runtime/run.h"

namespace millrace::module {

struct Twrite {
  using Object = Log;
  static constexpr auto parse = parse_twrite;
  static Now now(const WriteRequest&) { return wall_clock(); }
  static auto execute(Place<Log>& log, WriteRequest& request, const Call& call) {
    return log_operations().write(log, request, call);
  }
  static void write(abi::Reply reply, const WriteAnswer& first) {
    if (first.ticket) [[unlikely]] {
      return reply.bytes(text_of(*first.ticket));
    }
    reply.integer(static_cast<int64_t>(first.offset.value()));
  }
};

struct TschedCancel {
  using Object = Log;
  static constexpr auto parse = parse_tsched_cancel;
  static auto execute(Place<Log>& log, TicketsRequest& request, const Call& call) {
    return log_operations().cancel(log, request, call);
  }
  static constexpr auto write = write_number;
};

struct TschedNow {
  using Object = Log;
  static constexpr auto parse = parse_tsched_now;
  static auto execute(Place<Log>& log, TicketsRequest& request, const Call& call) {
    return log_operations().release_now(log, request, call);
  }
  static constexpr auto write = write_number;
};

struct Tdel {
  using Object = Log;
  static constexpr auto parse = parse_tdel;
  static auto execute(Place<Log>& log, DeleteRequest& request, const Call& call) {
    return log_operations().delete_messages(log, request, call);
  }
  static constexpr auto write = write_number;
};

struct Tevict {
  using Object = Log;
  static constexpr auto parse = parse_tevict;
  static Now now(const EvictRequest&) { return {}; }
  static auto execute(Place<Log>& log, EvictRequest& request, const Call& call) {
    return log_operations().evict(log, request, call);
  }
  static constexpr auto write = write_number;
};

struct Tretain {
  using Object = Log;
  static constexpr auto parse = parse_tretain;
  static bool grows(const Log* log, const RetainRequest& request) { return log == nullptr && !request.only_shows(); }
  // Returns the retention if the request changes nothing.
  static Outcome<std::optional<Retention>> execute(Place<Log>& log, RetainRequest& request, const Call& call);
  static void write(abi::Reply reply, const std::optional<Retention>& keep);
};

struct Tack {
  using Object = Log;
  static constexpr auto parse = parse_tack;
  static Now now(const AckRequest& request, const Log* log) {
    return LogOperations::acknowledge_takes_time(log, request) ? ObjectTraits<Log>::now() : Now();
  }
  static bool may_go_on(const AckRequest& request) { return log_operations().acknowledge_may_go_on(request); }
  static bool changes(const AckRequest&) { return true; }
  // Called if the log is removed while it continues: the caller gets the number so far.
  static Wait start_afresh(AckRequest&) { return {}; }
  static void answer_timeout(abi::Reply reply, const Log*, const AckRequest& request) {
    write_number(reply, request.acknowledged.value_or(0));
  }
  static auto execute(Place<Log>& log, AckRequest& request, const Call& call) {
    return log_operations().acknowledge(log, request, call);
  }
  static constexpr auto write = write_number;
};

struct Tnack {
  using Object = Log;
  static constexpr auto parse = parse_tnack;
  static auto execute(Place<Log>& log, NackRequest& request, const Call& call) {
    return log_operations().give_back(log, request, call);
  }
  static constexpr auto write = write_number;
};

struct Textend {
  using Object = Log;
  static constexpr auto parse = parse_textend;
  static auto execute(Place<Log>& log, ExtendRequest& request, const Call& call) {
    return log_operations().extend(log, request, call);
  }
  static constexpr auto write = write_number;
};

struct TgroupSeek {
  using Object = Log;
  static constexpr auto parse = parse_tgroup_seek;
  static auto execute(Place<Log>& log, SeekGroupRequest& request, const Call& call) {
    return log_operations().seek_group(log, request, call);
  }
  static constexpr auto write = write_ok;
};

struct TgroupCreate {
  using Object = Log;
  static constexpr auto parse = parse_tgroup_create;
  static auto execute(Place<Log>& log, CreateGroupRequest& request, const Call& call) {
    return log_operations().create_group(log, request, call);
  }
  static constexpr auto write = write_number;
};

struct TgroupDrop {
  using Object = Log;
  static constexpr auto parse = parse_tgroup_drop;
  static auto execute(Place<Log>& log, ByteView group, const Call& call) {
    return log_operations().drop_group(log, group, call);
  }
  static constexpr auto write = write_number;
};

struct TgroupSet {
  using Object = Log;
  static constexpr auto parse = parse_tgroup_set;
  static auto execute(Place<Log>& log, SetGroupRequest& request, const Call& call) {
    return log_operations().set_group(log, request, call);
  }
  static constexpr auto write = write_ok;
};

struct Tredrive {
  using Object = Log;
  static constexpr auto parse = parse_tredrive;
  static auto execute(Place<Log>& log, RedriveRequest& request, const Call& call) {
    return log_operations().redrive(log, request, call);
  }
  static constexpr auto write = write_number;
};

// TAPPLY is not for users: a master sends it to its replicas, and a server writes it to its AOF, so that nothing must
// be computed again. But any client may send it, so it is documented, and checks its bytes as carefully as RESTORE
// does.
struct Tapply {
  using Object = Log;
  static constexpr auto parse = parse_tapply;
  static auto execute(Place<Log>& log, LogEffect& effect, const Call& call) {
    return log_operations().apply(log, effect, call);
  }
  static constexpr auto write = write_ok;
  static constexpr bool kApplies = true;
};

}  // namespace millrace::module
