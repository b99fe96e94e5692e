// SHARD.PULL: payloads for a worker.
#pragma once

#include "module/runtime/run.h"
#include "module/shard/pool_object.h"
#include "module/shard/shard_requests.h"

namespace millrace::module {

struct ShardPull {
  using Object = Pool;
  static constexpr auto parse = parse_shard_pull;

  static Outcome<uint64_t> execute(Place<Pool>& pool, PullRequest& request, const Call& call, abi::Reply reply);
  // Empty: execute() has already written the payloads.
  static void write(abi::Reply, uint64_t) {}

  static bool changes(const PullRequest&) { return true; }
  static Wait start_afresh(PullRequest& request) { return {.line = request.worker}; }
  static void answer_timeout(abi::Reply reply, const Pool*, const PullRequest&) { reply.array(0); }
};

}  // namespace millrace::module
