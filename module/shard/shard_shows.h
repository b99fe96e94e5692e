// The commands that only read a pool.
#pragma once

#include "module/runtime/run.h"
#include "module/shard/pool_object.h"
#include "module/shard/shard_requests.h"

namespace millrace::module {

struct ShardOwner {
  using Object = Pool;
  static constexpr auto parse = parse_shard_owner;
  static void show(abi::Reply reply, const Shown<Pool>& shown, ByteView recipient);
};

struct ShardRecipients {
  using Object = Pool;
  static constexpr auto parse = parse_shard_recipients;
  static void show(abi::Reply reply, const Shown<Pool>& shown, const RecipientsRequest& request);
};

struct ShardCheck {
  using Object = Pool;
  static constexpr auto parse = parse_shard_check;
  static void show(abi::Reply reply, const Shown<Pool>& shown, const PoolCheckRequest& request);
};

struct ShardInfo {
  using Object = Pool;
  static constexpr auto parse = parse_shard_info;
  static void show(abi::Reply reply, const Shown<Pool>& shown, const PoolInfoRequest& request);
};

}  // namespace millrace::module
