// Work on a key without a command: its date on the agenda has come, or the key has appeared under a new name.
#pragma once

#include "module/runtime/waiting.h"

namespace millrace::module {

// Family::look_after for a family whose ObjectTraits have look_after(place, call).
template <class Object>
void look_after(abi::Context context, abi::StringRef name) {
  auto key = abi::TypedKey<Object>::for_upkeep(context, name);
  if (!key || key->get() == nullptr) return;
  key->notes().date.forget(context.database(), name.view());
  KeyPlace<Object> place(context, name, *key);
  carry_out(place, ObjectTraits<Object>::look_after(place, {.now = ObjectTraits<Object>::now()}));
}

// Family::appeared for every family with a DatedType.
template <class Object>
void take_up(abi::Context context, abi::StringRef name) {
  auto key = abi::TypedKey<Object>::for_upkeep(context, name);
  if (key && key->get() != nullptr) {
    abi::TypeTraits<Object>::arrived({context.database(), name.view()}, key->hosted());
  }
}

}  // namespace millrace::module
