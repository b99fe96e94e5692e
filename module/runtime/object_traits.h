// What the runtime needs of a family, by the type of its objects. The runtime itself does not depend on any family.
//
//   template <>
//   struct ObjectTraits<Log> {
//     static constexpr const char* kApply = "TAPPLY";      // the command that carries effects
//     static constexpr bool kWaits = true;                 // requests may wait; if not, the last three are not needed
//     static Now now();                                    // the clocks that its operations use
//     // Called when the date of Consequences::due has come.
//     static Consequences look_after(KeyPlace<Log>& place, const Call& call);
//     // When to look after an object that was loaded, renamed or restored.
//     static std::optional<UnixMs> first_date(const Log& log);
//     // Which requests to try again after a change of the key without a command of ours. Null: no such object.
//     static Wake wake_all(const Log* log);
//     // Whether a key with a value of another type counts as missing, so that waiting requests are tried again.
//     static constexpr bool kOtherTypeIsMissing = false;
//     // Whether waiting requests are tried again, and so answered, when the object is removed. If not, they wait for
//     // a new object.
//     static constexpr bool kToldWhenGone = false;
//   };
//
// and, if it needs them:
//
//     // Called after every operation on an existing object: frees what was evicted.
//     static void settle(KeyPlace<Log>& place, const Consequences& follow);
//     // A wait ends by a deadline on the monotonic clock, not by the host's time-out. now() returns that clock.
//     static constexpr bool kWaitsEndByDeadline = true;
//     // Waiting requests are served inside the transaction that has a result for them, not when it is over.
//     static constexpr bool kServedInTransactions = true;
//     // If requests may wait by tag: calls visit(tag, offset) for each message from an offset on, until it is false.
//     template <class Visit>
//     static void each_tag(const Log& log, uint64_t from, Visit visit);
//     // The most requests that wait for one object and are served in one turn; the others follow in the next turns.
//     static constexpr size_t kServedPerTurn = 1000;
//     // If one request removes the object and a waiting request creates it again, the key is kept in between.
//     static constexpr bool kKeyIsHandedOn = true;
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace::module {

template <class Object>
struct ObjectTraits;

// Defaults for a family that does not define these.
template <class Object>
inline constexpr bool kWaitsEndByDeadline = requires {
  requires ObjectTraits<Object>::kWaitsEndByDeadline;
};
template <class Object>
inline constexpr bool kServedInTransactions = requires {
  requires ObjectTraits<Object>::kServedInTransactions;
};
template <class Object>
inline constexpr bool kKeyIsHandedOn = requires {
  requires ObjectTraits<Object>::kKeyIsHandedOn;
};
template <class Object>
constexpr size_t served_per_turn() {
  if constexpr (requires { ObjectTraits<Object>::kServedPerTurn; }) {
    return ObjectTraits<Object>::kServedPerTurn;
  } else {
    return SIZE_MAX;
  }
}

}  // namespace millrace::module
