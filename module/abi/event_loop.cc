#include "module/abi/event_loop.h"

#include "module/abi/blocked_client.h"
#include "module/abi/registration.h"

namespace millrace::abi {

namespace {

void on_loop(HostContext* context, HostEvent, uint64_t moment, void*) {
  if (moment != kLoopBeforeSleep) return;
  listener().loop_ends(Context(context));
  BlockedClient::let_served_go();
}

}  // namespace

void watch_loop() {
  static bool watched = false;
  if (!watched) watched = host.SubscribeToServerEvent(own_context().handle(), kEventLoop, on_loop) == kOk;
}

}  // namespace millrace::abi
