// The logs and channels behind the keys of feeds.
#pragma once

#include "module/abi/context.h"
#include "module/channel/channel_type.h"
#include "module/log/log_type.h"

namespace millrace::module {

// The log or channel of a key, open as long as this object exists. Reading it counts as a use of the key.
class OpenedKey {
 public:
  OpenedKey(abi::Context context, abi::StringRef name)
      : log_(LogKey::for_reading(context, name)),
        channel_(log_ ? ChannelKey::none() : ChannelKey::for_reading(context, name)) {}

  // Null if the key has no such object.
  const Log* log() const { return log_ ? log_->get() : nullptr; }
  const Channel* channel() const { return channel_ ? channel_->get() : nullptr; }
  bool is_missing() const { return log() == nullptr && channel() == nullptr && !is_other(); }
  // True if the value of the key cannot be watched.
  bool is_other() const { return !log_ && !channel_; }
  // REQUIRES: is_other()
  const Error& error() const { return channel_.error(); }

  // From now on, writes to it are reported to the feeds that watch it.
  void note() const {
    if (log() != nullptr) log_->notes().watch.may_be_watched = true;
    if (channel() != nullptr) channel_->notes().watch.may_be_watched = true;
  }

 private:
  Result<LogKey> log_;
  Result<ChannelKey> channel_;
};

}  // namespace millrace::module
