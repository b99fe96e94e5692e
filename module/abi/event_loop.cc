#include "module/abi/event_loop.h"

#include <algorithm>

#include "module/abi/blocked_client.h"
#include "module/abi/registration.h"

namespace millrace::abi {

namespace {

void on_loop(HostContext* context, HostEvent, uint64_t moment, void*) {
  if (moment != kLoopBeforeSleep) return;
  listener().loop_ends(Context(context));
  BlockedClient::let_served_go();
}

// How often per second the host wakes up for its own work: the setting hz, 1 to 500.
int32_t chores_per_second = 10;

void on_cron(HostContext*, HostEvent, uint64_t, void* details) {
  chores_per_second = std::max(1, static_cast<const HostCronInfo*>(details)->hz);
}

}  // namespace

void watch_loop() {
  static bool watched = false;
  if (watched) return;
  HostContext* context = own_context().handle();
  watched = host.SubscribeToServerEvent(context, kEventLoop, on_loop) == kOk &&
            host.SubscribeToServerEvent(context, kEventCron, on_cron) == kOk;
}

uint64_t longest_sleep_ms() { return 1000 / static_cast<uint64_t>(chores_per_second); }

}  // namespace millrace::abi
