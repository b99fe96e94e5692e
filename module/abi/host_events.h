// Events of the host that concern us only once we have something: the loading of its data, keys that appear, databases
// that are emptied or swapped. They are subscribed to with the first command of ours or the first object that
// is loaded, because each subscription costs the host's other commands something: it goes through its subscribers to
// key events at every change of any key, and (since Redis 7.2) through those to server events at every SET that
// replaces a value.
#pragma once

#include "module/abi/host.h"

namespace millrace::abi {

namespace detail {
inline constinit bool host_is_watched = false;
[[gnu::cold]] void begin_to_watch_host();
}  // namespace detail

// Called for every command of ours, and for every object that is loaded: from now on, the listener (registration.h) is
// told of these events. The first call tells it of a load that has already begun.
inline void watch_host() {
  if (!detail::host_is_watched) [[unlikely]] {
    detail::begin_to_watch_host();
  }
}

}  // namespace millrace::abi
