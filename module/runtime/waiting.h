// Clients that wait for a key. The host knows which key a client waits for, so that it can redirect the client when the
// key's slot moves. The engine's lines (engine/waiting) decide which client is next. A waiting client is a request that
// is executed again when it may have a result.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/operation/call.h"
#include "engine/operation/outcome.h"
#include "engine/waiting/waiting_room.h"
#include "module/abi/blocked_client.h"
#include "module/abi/clock.h"
#include "module/abi/reply.h"
#include "module/runtime/database_key.h"
#include "module/runtime/deferred_wakes.h"
#include "module/runtime/family.h"
#include "module/runtime/key_place.h"
#include "module/runtime/object_traits.h"
#include "module/runtime/role.h"
#include "module/runtime/tell.h"
#include "module/runtime/wait_dates.h"
#include "module/runtime/watching.h"

namespace millrace::module {

// Counters for INFO of the clients that wait for keys of one family.
struct WaitCounters {
  uint64_t waiting = 0;
  uint64_t served = 0;  // with an answer that is not an error
};

template <class Object>
class WaitingClients;

template <class Object>
void carry_out(KeyPlace<Object>& place, const Consequences& follow, const HeldArguments* waited = nullptr);

// A waiting client with any command.
template <class Object>
class WaitingClient : public abi::BlockedClient, public Waiter {
 public:
  const DatabaseKey& place() const { return place_; }
  // True if serving it must be replicated: where that is not possible, it continues to wait.
  virtual bool changes() const = 0;
  // The object was removed: the client waits for a new one, from its beginning.
  virtual Wait start_afresh() = 0;
  // True if its client did not ask to wait: the request only continues (Wait::goes_on) with the object that existed.
  virtual bool only_goes_on() const = 0;

  // True if the request was answered.
  bool try_again(KeyPlace<Object>& place) {
    const Call call{.now = ObjectTraits<Object>::now(),
                    .decides = may_decide,
                    .may_wait = true,
                    .in_line = WaitingClients<Object>::room().find(place_)->line_length(*this)};
    const Consequences follow = execute(place, call, abi::Reply(answer_));
    if (follow.wait) {
      WaitingClients<Object>::room().find(place_)->wait_on(*this, *follow.wait);
    } else {
      leave();
      if (!answer_.is_error()) ++WaitingClients<Object>::counters().served;
      was_served();
      serve();
    }
    carry_out(place, follow, &words_);
    if (follow.wait && follow.wait->goes_on) wake_soon(place_);
    return !follow.wait;
  }

  // Its deadline is over: the client gets the answer of a time-out, for the object as it is when the host takes the
  // answer.
  void time_is_over() {
    leave();
    is_timed_out_ = true;
    serve();
  }

 protected:
  WaitingClient(DatabaseKey place, abi::Arguments arguments) : place_(std::move(place)), words_(arguments) {}

  virtual Consequences execute(KeyPlace<Object>& place, const Call& call, abi::Reply reply) = 0;
  // The answer is recorded, and will be written soon.
  virtual void was_served() {}

 private:
  void answer(abi::Context context) final {
    is_timed_out_ ? this->answer_timeout(context.reply()) : answer_.send(context.reply());
  }
  void key_is_ready(abi::Context context) final { wake_deferred_readers(context); }
  void left() final {
    const bool was_first = WaitingClients<Object>::room().find(place_)->is_first(*this);
    leave();
    // Clients after it in the line may have waited only for their turn.
    if (was_first) wake_later(place_);
  }
  void leave() { WaitingClients<Object>::remove(*this); }

  DatabaseKey place_;
  HeldArguments words_;
  abi::RecordedReply answer_;
  bool is_timed_out_ = false;
};

template <class Object>
class WaitingClients {
 public:
  static WaitingRoom<DatabaseKey>& room() { return room_; }
  static WaitCounters& counters() {
    static WaitCounters all;
    return all;
  }

  // How many clients wait for a key.
  static size_t count(const DatabaseKey& place) {
    const WaitingLines* lines = room().find(place);
    return lines == nullptr ? 0 : lines->size();
  }

  // The requests that wait for this key; null if there are none.
  static WaitingLines* lines_at(const KeyPlace<Object>& place) {
    if (room().empty()) [[likely]] {
      return nullptr;
    }
    return room().find(place.database_key());
  }

  // Blocks the client of this command. It is not answered here.
  static void block(abi::Context context, abi::StringRef name, std::unique_ptr<WaitingClient<Object>> client,
                    const Wait& wait, uint64_t timeout_ms) {
    ++counters().waiting;
    ++waiting_clients;
    MonotonicMs deadline = kNoDeadline;
    if constexpr (kWaitsEndByDeadline<Object>) {
      if (timeout_ms != 0) deadline = Traits::now().monotonic + timeout_ms;
      // A writable replica does not work on its agenda, so there the host ends the wait.
      if (may_decide) timeout_ms = 0;
    }
    room().add(client->place(), *client, wait, deadline);
    keep_first_deadline(client->place());
    if (wait.goes_on) wake_soon(client->place());
    abi::block(context, name, timeout_ms, std::move(client));
  }

  // The client no longer waits.
  static void remove(WaitingClient<Object>& client) {
    --counters().waiting;
    --waiting_clients;
    room().remove(client.place(), client);
    if constexpr (kWaitsEndByDeadline<Object>) {
      if (room().find(client.place()) == nullptr) dates().forget(client.place());
    }
  }

  // Ends the waits whose deadline is over. Schedules the next look at the key for the others.
  static void end_overdue(const DatabaseKey& key, MonotonicMs now) {
    dates().forget(key);
    for (WaitingLines* lines = room().find(key); lines != nullptr; lines = room().find(key)) {
      Waiter* late = lines->overdue(now);
      if (late == nullptr) break;
      client_of(*late).time_is_over();
    }
    keep_first_deadline(key);
  }

  // For a key at which no client can be served now, if no event will tell when that changes.
  static void look_again_at(const DatabaseKey& key, MonotonicMs date) {
    if (room().find(key) != nullptr) dates().keep(key, date);
  }

  // Tries requests again that may have a result after an operation: at once, or, inside a transaction, when it is over.
  static void wake(KeyPlace<Object>& place, const Wake& wake) {
    if (!room().empty() && !wake.is_nobody()) wake_waiting(place, wake);
  }

  // The functions that the module needs for these clients.
  static const Waiters* hooks() {
    static constexpr Waiters kHooks{
        .wait_for = [](const DatabaseKey& key) { return room().find(key) != nullptr; },
        .keys = [] { return room().keys(); },
        .serve = [](abi::Context context, const DatabaseKey& key,
                    abi::StringRef name) { open(context, key, name, true); },
        .serve_without_effects = [](abi::Context context, const DatabaseKey& key,
                                    abi::StringRef name) { open(context, key, name, false); },
        .start_afresh = start_afresh,
    };
    return &kHooks;
  }

 private:
  using Traits = ObjectTraits<Object>;

  // Every command checks whether it is empty.
  static inline WaitingRoom<DatabaseKey> room_;

  static WaitDates& dates() {
    static WaitDates all;
    return all;
  }

  [[gnu::noinline]] static void wake_waiting(KeyPlace<Object>& place, const Wake& wake) {
    const abi::Context context = place.context();
    const DatabaseKey key = place.database_key();
    if (room().find(key) == nullptr) return;
    if (!kServedInTransactions<Object> && context.in_transaction()) {
      context.wake_when_over(place.key_name());
      return wake_later(key);
    }
    serve(key, place, wake, true);
  }

  static void keep_first_deadline(const DatabaseKey& key) {
    if constexpr (kWaitsEndByDeadline<Object>) {
      const WaitingLines* lines = room().find(key);
      if (lines != nullptr && lines->first_deadline() != kNoDeadline) dates().keep(key, lines->first_deadline() + 1);
    }
  }

  static WaitingClient<Object>& client_of(Waiter& waiter) { return static_cast<WaitingClient<Object>&>(waiter); }

  static void serve(const DatabaseKey& key, KeyPlace<Object>& place, const Wake& wake, bool with_effects) {
    const bool must_rest = abi::replication_is_paused();
    const bool may_change = with_effects && may_decide && !must_rest;
    bool is_kept_back = false;
    size_t turns_left = served_per_turn<Object>();
    const auto lines = [&] { return room().find(key); };
    const auto try_again = [&](Waiter& waiter) {
      WaitingClient<Object>& client = client_of(waiter);
      if (!may_change && client.changes()) {
        is_kept_back = true;
        return false;
      }
      if (turns_left == 0 || !client.try_again(place)) return false;
      --turns_left;
      return true;
    };
    if constexpr (requires { Traits::each_tag(*place.get(), 0, [](ByteView, uint64_t) { return true; }); }) {
      const auto each_tag = [&](uint64_t from, auto visit) { Traits::each_tag(*place.get(), from, visit); };
      const bool has_new = place.get() != nullptr && wake.mark != 0;
      if (has_new && !serve_by_tag(lines, each_tag, try_again)) wake_soon(key);
    }
    millrace::serve(lines, wake, try_again);
    if (is_kept_back && must_rest && may_decide) wake_later(key);
    if (turns_left != 0) return;
    if constexpr (kWaitsEndByDeadline<Object>) {
      // A replica does not work on its agenda.
      if (may_decide) return dates().keep(key, abi::monotonic_now());
    }
    wake_soon(key);
  }

  static void open(abi::Context context, const DatabaseKey& key, abi::StringRef name, bool with_effects) {
    auto opened = abi::TypedKey<Object>::for_upkeep(context, name);
    if (!opened && !Traits::kOtherTypeIsMissing) return;
    auto missing = abi::TypedKey<Object>::none();
    KeyPlace<Object> place(context, name, opened ? *opened : missing);
    serve(key, place, Traits::wake_all(place.get()), with_effects);
  }

  static void start_afresh(const DatabaseKey& key) {
    const WaitingLines* lines = room().find(key);
    if (lines == nullptr) return;
    for (Waiter* waiter : lines->everybody()) {
      WaitingClient<Object>& client = client_of(*waiter);
      // The object that it was reading was removed, and no event would try the request again.
      if (client.only_goes_on()) {
        client.time_is_over();
      } else {
        room().find(key)->set_mark(client, client.start_afresh().mark);
      }
    }
    // All keys may have been swapped or loaded, and their entries on the agenda with them.
    if constexpr (kWaitsEndByDeadline<Object>) {
      dates().forget(key);
      keep_first_deadline(key);
    }
    if (Traits::kToldWhenGone) wake_later(key);
  }
};

// Makes sure that the object is looked after at the date that the operation returned, on the clock of its family. Most
// dates are already on the agenda; then the key's name is not needed from the host.
template <class Object>
[[gnu::always_inline]] inline void keep_date(KeyPlace<Object>& place, const Consequences& follow) {
  if constexpr (requires { place.key().notes().date; }) {
    auto& kept = place.key().notes().date;
    if constexpr (requires { kept.is_kept(UnixMs()); }) {
      if (follow.due && !kept.is_kept(*follow.due)) {
        kept.keep(place.context().database(), place.name(), *follow.due);
      }
    }
    if constexpr (requires { kept.is_kept(MonotonicMs()); }) {
      if (follow.due_monotonic && !kept.is_kept(*follow.due_monotonic)) {
        kept.keep(place.context().database(), place.name(), *follow.due_monotonic);
      }
    }
  }
}

// Carries out the consequences of an operation on a key. Inlined into every command, because most consequences are
// empty.
template <class Object>
[[gnu::always_inline]] inline void carry_out(KeyPlace<Object>& place, const Consequences& follow,
                                             const HeldArguments* waited) {
  using Traits = ObjectTraits<Object>;
  if (follow.empty()) return;
  // Reading the expiry is cheaper than setting it, and mostly it was already set in this millisecond.
  if (follow.expires_at && place.get() != nullptr && place.key().expires_at() != follow.expires_at) {
    place.key().expire_at(*follow.expires_at);
  }
  tell(place.context(), place.key_name(), Traits::kApply, follow, waited);
  if constexpr (kKeyIsHandedOn<Object>) {
    if (const auto date = place.take_date_to_tell()) {
      place.context().replicate("PEXPIREAT", place.key_name(), static_cast<long long>(date->value()));
    }
  }
  if (place.get() != nullptr) {
    keep_date(place, follow);
    if constexpr (requires { Traits::settle(place, follow); }) Traits::settle(place, follow);
    tell_watchers(place, follow.wake);
  }
  if constexpr (Traits::kWaits) WaitingClients<Object>::wake(place, follow.wake);
}

}  // namespace millrace::module
