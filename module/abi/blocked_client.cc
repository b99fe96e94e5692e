#include "module/abi/blocked_client.h"

#include <deque>
#include <unordered_map>

#include "module/abi/event_loop.h"
#include "module/abi/timer.h"

namespace millrace::abi {

namespace {

BlockedClient* waiting(HostContext* context) {
  return static_cast<BlockedClient*>(host.GetBlockedClientPrivateData(context));
}

// Clients that wait for no key: at a time-out, Redis 7.0 identifies the client only by the handle.
std::unordered_map<HostBlockedClient*, BlockedClient*> without_key;

std::deque<BlockedClient*> served;  // served and not unblocked yet; unblocked in this order

// Redis 7.0 calls us before it sleeps, directly before it looks at unblocked clients: the right moment. Later hosts and
// Valkey have already looked by then. There a timer is used, and this call is the fallback if the timer is late because
// the clock was set.
bool tells_before_it_looks() { return (host.GetServerVersion() & 0xffff00) == 0x070000; }
constinit Timer timer([](Context) { BlockedClient::let_served_go(); });

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

void block(Context context, uint64_t timeout_ms, std::unique_ptr<BlockedClient> client) {
  watch_loop();
  BlockedClient* waiter = client.release();
  waiter->has_key_ = false;
  waiter->handle_ = host.BlockClient(context.handle(), BlockedClient::on_let_go, BlockedClient::on_timeout_without_key,
                                     BlockedClient::on_free, static_cast<long long>(timeout_ms));
  host.SetDisconnectCallback(waiter->handle_, BlockedClient::on_disconnect_without_key);
  without_key.emplace(waiter->handle_, waiter);
}

void BlockedClient::serve() {
  served_ = true;
  is_listed_ = true;
  served.push_back(this);
  static const bool needs_timer = !tells_before_it_looks();
  if (needs_timer) timer.set_at_latest(now());
}

// The host has one way to end a wait on keys from outside: it calls the timeout callback, synchronously, and uses what
// that callback writes as the answer.
void BlockedClient::let_served_go() {
  while (!served.empty()) {
    BlockedClient* first = served.front();
    served.pop_front();
    first->is_listed_ = false;
    if (first->has_key_) {
      host.UnblockClient(first->handle_, nullptr);
    } else {
      without_key.erase(first->handle_);
      host.UnblockClient(first->handle_, first);
    }
  }
}

void BlockedClient::forget_served() {
  if (is_listed_) std::erase(served, this);
  is_listed_ = false;
}

void BlockedClient::end_by_timeout(Context context) {
  is_over_ = true;
  if (served_) {
    forget_served();
    answer(context);
  } else {
    left();
    answer_timeout(context.reply());
  }
}

void BlockedClient::end_by_disconnection() {
  is_over_ = true;
  if (!served_) return left();
  forget_served();
  left_unanswered();
}

int BlockedClient::on_timeout(HostContext* context, HostString**, int) {
  waiting(context)->end_by_timeout(Context(context));
  return kOk;
}

void BlockedClient::on_disconnect(HostContext* context, HostBlockedClient*) {
  waiting(context)->end_by_disconnection();
}

// The host ends a wait without a key when it is told to, and then calls back for the answer. However the wait ends, the
// host keeps its data until it is told.
int BlockedClient::on_let_go(HostContext* context, HostString**, int) {
  BlockedClient* waiter = waiting(context);
  waiter->is_over_ = true;
  waiter->answer(Context(context));
  return kOk;
}

void BlockedClient::on_free(HostContext*, void* waiter) {
  const std::unique_ptr<BlockedClient> owned(static_cast<BlockedClient*>(waiter));
  // It was unblocked, and its client disconnected before the host called back.
  if (!owned->is_over_) owned->left_unanswered();
}

int BlockedClient::on_timeout_without_key(HostContext* context, HostString**, int) {
  HostBlockedClient* handle = host.GetBlockedClientHandle(context);
  const auto found = without_key.find(handle);
  if (found == without_key.end()) return kOk;
  BlockedClient* waiter = found->second;
  without_key.erase(found);
  waiter->end_by_timeout(Context(context));
  host.UnblockClient(handle, waiter);
  return kOk;
}

void BlockedClient::on_disconnect_without_key(HostContext*, HostBlockedClient* handle) {
  const auto found = without_key.find(handle);
  // It was unblocked before: see on_free().
  if (found == without_key.end()) return;
  BlockedClient* waiter = found->second;
  without_key.erase(found);
  waiter->end_by_disconnection();
  host.UnblockClient(handle, waiter);
}

// When a key becomes ready, the host asks every client that waits for it whether it was served. Our own line decides
// and serves, so the answer is always no.
int BlockedClient::on_host_signal(HostContext* context, HostString**, int) {
  waiting(context)->key_is_ready(Context(context));
  return kErr;
}

}  // namespace millrace::abi
