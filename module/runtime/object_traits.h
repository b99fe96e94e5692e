// What the runtime must know of a family, by the type of its objects. The runtime itself names no family.
//
//   template <>
//   struct ObjectTraits<Log> {
//     static constexpr const char* kApply = "TAPPLY";      // the command that carries effects
//     static constexpr bool kWaits = true;                 // requests may wait; if not, the last three are not needed
//     static Now now();                                    // those clocks that its operations use
//     // What is done when the date has come that an operation asked for (Consequences::due).
//     static Consequences look_after(KeyPlace<Log>& place, const Call& call);
//     // When an object is to be looked after that was loaded, renamed or restored.
//     static std::optional<UnixMs> first_date(const Log& log);
//     // Whom to try again after the key has changed in a way that nobody has told us of. Null: no such object.
//     static Wake wake_all(const Log* log);
//     // Whether requests that wait are tried again when the key holds a value of another type, as if it were missing.
//     static constexpr bool kOtherTypeIsMissing = false;
//     // Whether they are tried again when the object goes, to be told so; else they wait for another one.
//     static constexpr bool kToldWhenGone = false;
//   };
//
// and, if it needs them:
//
//     // After every operation on an object that is there: what was evicted is freed.
//     static void settle(KeyPlace<Log>& place, const Consequences& follow);
//     // A wait ends by a deadline on the monotonic clock, and not by the host's time-out. now() gives that clock.
//     static constexpr bool kWaitsEndByDeadline = true;
//     // Requests that wait are served inside the transaction that has something for them, and not when it is over.
//     static constexpr bool kServedInTransactions = true;
//     // If requests may wait by tag: calls visit(tag, offset) for each message from an offset on, until it returns
//     false.
//
//     template <class Visit>
//     static void each_tag(const Log& log, uint64_t from, Visit visit);
//
//     // At most so many requests that wait for one object are served in one turn; the others follow in the next one.
//     static constexpr size_t kServedPerTurn = 1000;
//     // An object that is removed by one request and made again by the next, which has waited for that, keeps its key.
//     static constexpr bool kKeyIsHandedOn = true;
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace::module {

template <class Object>
struct ObjectTraits;

// What holds for a family that says nothing.
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
