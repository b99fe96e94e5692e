// A client that waits for a key, or for something that the host does not know. If it waits for a key, the host knows
// which one: it redirects the client when the key's slot moves, and tells us when to look at the key. But the host
// never decides when the wait is over: we have our own lines (docs/why.md says why) and choose the client to serve.
#pragma once

#include <memory>

#include "module/abi/context.h"
#include "module/abi/host.h"

namespace millrace::abi {

// A waiting client. Derived classes write the answer. The host owns the object and deletes it some time after the wait
// is over.
class BlockedClient {
 public:
  virtual ~BlockedClient() = default;

  // Ends the wait: answer() will be called, and the host unblocks the client, as soon as the commands that have already
  // arrived are done. Between answer() and that moment no command can run (CLIENT UNBLOCK would answer a second time),
  // except on hosts later than Redis 7.0 that read with io threads. REQUIRES: still waiting.
  void serve();

  // Unblocks all served clients now.
  static void let_served_go();

 protected:
  // Writes the answer of a client that is served. The context is that client's.
  virtual void answer(Context context) = 0;
  // Writes the answer of a client whose waiting time is over, or that CLIENT UNBLOCK has unblocked.
  virtual void answer_timeout(Reply reply) = 0;
  // The client no longer waits and was not served: it timed out, disconnected, was killed, or was redirected. Called
  // once, before answer_timeout().
  virtual void left() = 0;
  // The client was served, and disconnected before the answer could be written. Called instead of answer(), possibly
  // inside another client's transaction: nothing may be replicated here.
  virtual void left_unanswered() {}
  // The key was created or replaced, or wake_when_over() was called for it: now serve() all clients that can be served,
  // this one or others. Only for a client that waits for a key.
  virtual void key_is_ready(Context) {}

 private:
  friend void block(Context, StringRef, uint64_t, std::unique_ptr<BlockedClient>);
  friend void block(Context, uint64_t, std::unique_ptr<BlockedClient>);
  static int on_host_signal(HostContext*, HostString**, int);
  static int on_timeout(HostContext*, HostString**, int);
  static void on_disconnect(HostContext*, HostBlockedClient*);
  // The same for a client that waits for no key.
  static int on_let_go(HostContext*, HostString**, int);
  static void on_free(HostContext*, void* waiter);
  static int on_timeout_without_key(HostContext*, HostString**, int);
  static void on_disconnect_without_key(HostContext*, HostBlockedClient*);

  void end_by_timeout(Context context);
  void end_by_disconnection();

  void forget_served();

  HostBlockedClient* handle_ = nullptr;
  bool has_key_ = true;
  bool served_ = false;
  bool is_over_ = false;    // the client was answered, or has left
  bool is_listed_ = false;  // in the list of clients that are served and not unblocked yet
};

// Blocks the client of this command until serve(), or for `timeout_ms` (0: for ever).
// The command must return without replying.
// REQUIRES: !context.must_answer_at_once()
void block(Context context, StringRef key, uint64_t timeout_ms, std::unique_ptr<BlockedClient> client);
// The same for a client that waits for no key.
void block(Context context, uint64_t timeout_ms, std::unique_ptr<BlockedClient> client);

}  // namespace millrace::abi
