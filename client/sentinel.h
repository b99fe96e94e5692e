// Redis Sentinel: several processes that watch a master and its replicas, and tell which one is the current master.
#pragma once

#include <string>
#include <vector>

#include "client/endpoint.h"
#include "client/error.h"
#include "client/login.h"

namespace millrace::client {

struct ConnectionOptions;

struct SentinelGroup {
  std::vector<Endpoint> sentinels;
  std::string service;  // the name of the master at the sentinels
  Login login = {};     // login at the sentinels themselves; most need none
};

// Asks the sentinels one after the other until one answers. Timeouts and TLS are those of `options`.
// Unreachable: none answers, or none knows the service.
Result<Endpoint> find_master(const SentinelGroup& group, const ConnectionOptions& options);

}  // namespace millrace::client
