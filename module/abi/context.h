// What a command, a timer or an event can ask of the host. All of these borrow the
// host's handle: they are cheap to copy and valid until the callback returns.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "module/abi/host.h"
#include "module/abi/reply.h"

namespace millrace::abi {

// A string the host owns.
class StringRef {
 public:
  explicit StringRef(HostString* handle) : handle_(handle) {}

  ByteView view() const {
    size_t size;
    const char* bytes = host.StringPtrLen(handle_, &size);
    return {bytes, size};
  }
  HostString* handle() const { return handle_; }

 private:
  HostString* handle_;
};

// A string that we created; freed at the end of its scope.
class OwnedString {
 public:
  explicit OwnedString(ByteView bytes) : handle_(host.CreateString(nullptr, bytes.data(), bytes.size())) {}
  // Takes over a string that the host created for us.
  static OwnedString adopt(HostString* handle) { return OwnedString(handle); }
  // Keeps a string of the host beyond the end of the call: the bytes stay where they are.
  static OwnedString hold(StringRef string) { return OwnedString(host.HoldString(nullptr, string.handle())); }
  OwnedString(OwnedString&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  OwnedString(const OwnedString&) = delete;
  OwnedString& operator=(const OwnedString&) = delete;
  ~OwnedString() {
    if (handle_ != nullptr) host.FreeString(nullptr, handle_);
  }

  operator StringRef() const { return StringRef(handle_); }

 private:
  explicit OwnedString(HostString* handle) : handle_(handle) {}

  HostString* handle_;
};

class Context;

// What a user may do with keys. A call without a user may do everything.
class UserRights {
 public:
  // The rights of the user that made the context's call.
  explicit UserRights(Context context);
  UserRights(const UserRights&) = delete;
  UserRights& operator=(const UserRights&) = delete;
  ~UserRights();

  // Empty: no user.
  ByteView name() const { return name_; }
  bool may_read(StringRef key) const;
  // Whether the user may run a command with these words (at most 8) in the context's database.
  bool may_run(std::span<const StringRef> words) const;

 private:
  std::string name_;
  HostUser* user_ = nullptr;
  int database_;
};

class Context {
 public:
  explicit Context(HostContext* handle) : handle_(handle) {}

  Reply reply() const { return Reply(handle_); }
  HostContext* handle() const { return handle_; }

  // The number of the client that sent this command; 0: none.
  uint64_t client() const { return host.GetClientId(handle_); }
  // The name of the last command that this client has sent, as the host spells it; empty if the client has
  // disconnected.
  static std::string last_command_of(uint64_t client);

  int database() const;
  void select(int database) const { host.SelectDb(handle_, database); }

  // True in MULTI, in a script, or wherever else the host does not allow blocking.
  bool must_answer_at_once() const { return has(kFlagDenyBlocking | kFlagMulti | kFlagScript); }
  // True inside a transaction or script, whose effects become visible together.
  bool in_transaction() const { return has(kFlagMulti | kFlagScript); }
  // True if the command is an effect that was decided elsewhere: by our master, or by
  // ourselves before the AOF was written.
  bool is_effect() const { return has(kFlagReplicated | kFlagLoading); }
  bool is_master() const { return has(kFlagMaster); }
  // True on a replica that accepts writes only from its master.
  bool is_read_only() const { return has(kFlagReadOnly); }
  bool is_cluster() const { return has(kFlagCluster); }
  // True if maxmemory is reached, so that nothing may grow.
  bool is_out_of_memory() const { return has(kFlagOutOfMemory); }
  // True while the host loads a data set, in place of the one in use or beside it (staging.h), and fires no timers.
  bool is_loading() const { return has(kFlagLoading | kFlagAsyncLoading); }
  // True while a fork of the host saves or rewrites: every page that is changed now is copied.
  bool has_active_child() const { return has(kFlagActiveChild); }

  // True if the user of this call may run the command with these words (at most 8).
  bool may_run(std::span<const StringRef> words) const { return UserRights(*this).may_run(words); }

  // True on a cluster node that would redirect a client for this key: its slot is not ours, or the slot is being
  // migrated and the key has already moved.
  bool is_served_elsewhere(StringRef key) const;
  // True on a cluster node if another master than this node, or its own, has the slot of the key; unlike
  // is_served_elsewhere(), not while the key alone has moved. Only hosts on which slots move as a whole can say so; the
  // others do not.
  bool is_slot_elsewhere(StringRef key) const;
  // The same as is_served_elsewhere() for the client of this call: a client that reads from a replica (READONLY) is not
  // redirected to the master.
  bool sends_elsewhere(StringRef key) const;

  // Sends the command to replicas and the AOF as it came.
  void replicate_verbatim() const { host.ReplicateVerbatim(handle_); }

  // Sends another command to replicas and the AOF: the effect. Arguments are StringRefs, words and numbers.
  template <class... Arguments>
  void replicate(const char* command, Arguments... arguments) const {
    static constexpr char kFormat[] = {format_of<Arguments>()..., '\0'};
    host.Replicate(handle_, command, kFormat, pass(arguments)...);
  }

  // The same with bytes as the last argument.
  void replicate(const char* command, StringRef key, ByteView bytes) const {
    host.Replicate(handle_, command, "sb", key.handle(), bytes.data(), bytes.size());
  }
  void replicate(const char* command, StringRef key, const char* word, ByteView bytes) const {
    host.Replicate(handle_, command, "scb", key.handle(), word, bytes.data(), bytes.size());
  }

  // The same with any number of words.
  void replicate_words(const char* command, std::span<const StringRef> words) const;

  // The host calls BlockedClients of this key when the transaction is over, before the next command of any client.
  void wake_when_over(StringRef key) const { host.SignalKeyAsReady(handle_, key.handle()); }

  // Called once a command has changed the key: notifies WATCH, client-side caches and keyspace events (class d).
  void changed(StringRef key, const char* event) const {
    host.SignalModifiedKey(handle_, key.handle());
    host.NotifyKeyspaceEvent(handle_, kNotifyModule, event, key.handle());
  }

 private:
  friend class UserRights;
  bool has(int flags) const { return (host.GetContextFlags(handle_) & flags) != 0; }

  template <class A>
  static constexpr char format_of() {
    if constexpr (std::same_as<A, StringRef>) {
      return 's';
    } else if constexpr (std::integral<A>) {
      return 'l';
    } else {
      return 'c';
    }
  }
  static HostString* pass(StringRef string) { return string.handle(); }
  static const char* pass(const char* word) { return word; }
  static long long pass(std::integral auto number) { return static_cast<long long>(number); }

  HostContext* handle_;
};

// The wall clock.
inline UnixMs now() { return UnixMs(static_cast<uint64_t>(host.Milliseconds())); }

// Fills the array with unpredictable bytes.
template <size_t size>
void fill_with_randomness(std::array<unsigned char, size>& bytes) {
  host.GetRandomBytes(bytes.data(), size);
}

// True while nothing should be sent to replicas (during a failover, or while clients are paused for writing): timers
// postpone evictions until then.
inline bool replication_is_paused() { return host.AvoidReplicaTraffic() != 0; }

// True if the host uses as much memory as allowed, or more: then it evicts keys, and checks at once whether that was
// enough.
inline bool memory_is_short() { return host.GetUsedMemoryRatio() >= 1; }

// False on the host's background threads that free memory.
bool on_main_thread();

// One line in the host's log.
void log_warning(const char* text);

// A context without a client, valid for the lifetime of the module.
Context own_context();
void make_own_context(HostContext* loading);

}  // namespace millrace::abi
