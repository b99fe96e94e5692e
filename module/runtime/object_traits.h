// What the runtime must know of a family, by the type of its objects. The runtime itself names no family.
//
//   template <>
//   struct ObjectTraits<Log> {
//     static constexpr const char* kApply = "TAPPLY";      // the command that carries effects
//     static constexpr bool kWaits = true;                 // requests may wait for an object
//     static Now now();                                    // those clocks that its operations use
//     // After every operation on an object that is there: what was evicted is freed, and dates are kept.
//     static void settle(KeyPlace<Log>& place, const Consequences& follow);
//     // Whom to try again after the key has changed in a way that nobody has told us of. Null: no such object.
//     static Wake wake_all(const Log* log);
//     // Whether requests that wait are tried again when the key holds a value of another type, as if it were missing.
//     static constexpr bool kOtherTypeIsMissing = false;
//     // Whether they are tried again when the object goes, to be told so; else they wait for another one.
//     static constexpr bool kToldWhenGone = false;
//   };
#pragma once

namespace millrace::module {

template <class Object>
struct ObjectTraits;

}  // namespace millrace::module
