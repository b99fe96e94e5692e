#include "module/abi/blocked_client.h"

#include <deque>

#include "module/abi/registration.h"
#include "module/abi/timer.h"

namespace millrace::abi {

namespace {

BlockedClient* waiting(HostContext* context) {
  return static_cast<BlockedClient*>(host.GetBlockedClientPrivateData(context));
}

std::deque<BlockedClient*> served;  // and not let go yet; first come, first let go

// Redis 7.0 tells us that it is about to sleep right before it looks at clients that were
// let go: the perfect moment. Later hosts and Valkey have looked by then; there a timer
// comes first, and their telling us is for when the clock was set and the timer is late.
bool tells_before_it_looks() { return (host.GetServerVersion() & 0xffff00) == 0x070000; }
constinit Timer timer([](Context) { BlockedClient::let_served_go(); });

void on_loop(HostContext* context, HostEvent, uint64_t moment, void*) {
  if (moment != kLoopBeforeSleep) return;
  listener().loop_ends(Context(context));
  BlockedClient::let_served_go();
}

// From the first client that waits on; nobody else pays for it.
void watch_loop() {
  static bool watched = false;
  if (!watched) watched = host.SubscribeToServerEvent(own_context().handle(), kEventLoop, on_loop) == kOk;
}

}  // namespace

void block(Context context, StringRef key, uint64_t timeout_ms, std::unique_ptr<BlockedClient> client) {
  watch_loop();
  HostString* keys[] = {key.handle()};
  BlockedClient* waiter = client.release();
  waiter->handle_ = host.BlockClientOnKeys(
      context.handle(), BlockedClient::on_host_signal, BlockedClient::on_timeout,
      [](HostContext*, void* data) { delete static_cast<BlockedClient*>(data); }, static_cast<long long>(timeout_ms),
      keys, 1, waiter);
  host.SetDisconnectCallback(waiter->handle_, BlockedClient::on_disconnect);
}

void BlockedClient::serve() {
  served_ = true;
  is_listed_ = true;
  served.push_back(this);
  static const bool needs_timer = !tells_before_it_looks();
  if (needs_timer) timer.set_at_latest(now());
}

// The host has one way to end a wait on keys from outside: it calls the timeout
// callback, synchronously, and takes what that writes as the answer.
void BlockedClient::let_served_go() {
  while (!served.empty()) {
    BlockedClient* first = served.front();
    served.pop_front();
    first->is_listed_ = false;
    host.UnblockClient(first->handle_, nullptr);
  }
}

void BlockedClient::forget_served() {
  if (is_listed_) std::erase(served, this);
  is_listed_ = false;
}

int BlockedClient::on_timeout(HostContext* context, HostString**, int) {
  BlockedClient* waiter = waiting(context);
  if (waiter->served_) {
    waiter->forget_served();
    waiter->answer(Reply(context));
  } else {
    waiter->left();
    waiter->answer_timeout(Reply(context));
  }
  return kOk;
}

void BlockedClient::on_disconnect(HostContext* context, HostBlockedClient*) {
  BlockedClient* waiter = waiting(context);
  waiter->served_ ? waiter->forget_served() : waiter->left();
}

// The host asks every client that waits for a key which has become ready whether it was
// served by that. Our own line decides and serves, so the answer is always: not by you.
int BlockedClient::on_host_signal(HostContext* context, HostString**, int) {
  waiting(context)->key_is_ready(Context(context));
  return kErr;
}

}  // namespace millrace::abi
