// What every command of a channel begins and ends with: the channel is made or brought up
// to the present, and its key lives on.
#pragma once

#include "engine/channel/channel.h"
#include "module/abi/context.h"
#include "module/commands/channel/channel_requests.h"
#include "module/host/channel_type.h"

namespace millrace::module {

// The present for whoever only looks: never before the channel's own time.
UnixMs present(const Channel& channel);

// Makes the channel and tells replicas and the AOF, for it holds a secret that nobody can
// compute again. REQUIRES: the key is empty; this server decides.
Channel& create_channel(abi::Context context, abi::StringRef name, ChannelKey& key, const CreateRequest& request);

// The channel, made if it is missing. Failure: Corrupt, if it is missing and somebody
// else should have made it.
Result<Channel*> channel_or_new(abi::Context context, abi::StringRef name, ChannelKey& key,
                                std::optional<uint64_t> expire_ms);

// Moves the channel's time to `now`, the present. That is an effect, at most one a millisecond:
// what expires by it follows from it alone, and the commands themselves pass on as they
// came.
void move_time(abi::Context context, abi::StringRef name, Channel& channel, UnixMs now = abi::now());

// To be called when messages may have expired: `first` was the first before.
void count_expired(Channel& channel, Offset first);

// Has the host expire the key when the channel does, whatever a user has made of that meanwhile.
void keep_key(ChannelKey& key);

Error no_subscriber(ByteView channel, ByteView subscriber);

// A subscriber that lives, for a command that is about to move it.
struct OpenedSubscriber {
  ChannelKey key;
  Channel* channel;
  Subscriber* subscriber;
  UnixMs now;  // it lives at this time; read again, the clock could say that it does not

  // Changes nothing: what the command does begins with move_time() to `now`. Failure: WrongType, or
  // NoSubscriber if there is no such channel, or no such subscriber at present.
  static Result<OpenedSubscriber> open(abi::Context context, abi::StringRef name, ByteView subscriber);

  // The subscriber has shown itself: it and its channel live on.
  void touch();
};

}  // namespace millrace::module
