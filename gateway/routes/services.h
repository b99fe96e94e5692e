// The objects that routes use: everything that belongs to one event loop of the gateway.
#pragma once

#include <string>

#include "gateway/config/config.h"
#include "gateway/upstream/upstream.h"

namespace millrace::gateway {

class Authority;
class Router;
struct ConsoleState;
class RequestRate;
class Topics;
struct Figures;

struct Services {
  EventLoop& loop;
  const Config& config;
  Upstream& upstream;
  Topics& topics;
  const Authority& authority;
  Figures& figures;
  RequestRate& rate;
  bool& is_draining;
  ConsoleState& console;
  const Router* router = nullptr;
  std::string openapi = {};  // the answer of /openapi.json
};

}  // namespace millrace::gateway
