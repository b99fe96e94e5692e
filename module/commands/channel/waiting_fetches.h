// Fetches that wait for a publication. A publication serves all of them, in the order in
// which they came: each subscriber has a position of its own, and who waits has read
// everything.
//
// A subscriber that waits is fetching: it does not expire while it waits, however long
// that takes, and its channel does not either.
#pragma once

#include "engine/channel/channel.h"
#include "module/abi/context.h"
#include "module/commands/channel/channel_requests.h"
#include "module/host/channel_type.h"
#include "module/host/family.h"

namespace millrace::module {

// The client waits until there is something behind the subscriber's position.
void wait_for_publication(abi::Context context, abi::StringRef name, const Channel& channel,
                          const FetchRequest& request);

// To be called whenever there may be something for those who wait: answers them, at once,
// or, inside a transaction, when it is over.
void serve_fetches(abi::Context context, abi::StringRef name, ChannelKey& key);

// The subscriber has left: whoever waits for it is told.
void dismiss_fetches(const DatabaseKey& place, ByteView subscriber);

// How many wait for this channel.
size_t fetches_waiting(const DatabaseKey& place);

// The channel's expiry is about to become shorter: those who wait show themselves now, or
// they would have expired by it, and the next time sooner. O(n) with n clients that wait.
void keep_fetches_alive(abi::Context context, abi::StringRef name, ChannelKey& key, uint64_t expire_ms);

extern const Waiters kChannelWaiters;
// Keeps those who wait alive: the agenda's part.
std::optional<UnixMs> look_after_channel(abi::Context context, abi::StringRef name, UnixMs now);

}  // namespace millrace::module
