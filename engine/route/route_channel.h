// The subject of a change, and the address of subscriptions: an application and a model, optionally of one user,
// optionally one object. A change with all four parts is sent on four channels.
//
//   app:myapp:model:task
//   app:myapp:model:task:id:task-456
//   app:myapp:user:user123:model:task
//   app:myapp:user:user123:model:task:id:task-456
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/bytes.h"

namespace millrace {

struct RouteChannel {
  ByteView app;
  ByteView model;
  std::optional<ByteView> user;
  std::optional<ByteView> id;

  // The name in text form, different for each channel. If a part consists of several words with colons between them and
  // one word is "user", "model" or "id", its colons are written as %3A. If a part contains %3A or %25, its percent
  // signs are written as %25.
  //
  //   APP a:model:b MODEL c      app:a%3Amodel%3Ab:model:c
  //   APP a MODEL b:model:c      app:a:model:b%3Amodel%3Ac
  //   APP a MODEL m ID urn:isbn:0451450523    app:a:model:m:id:urn:isbn:0451450523
  std::string name() const;
  // A unique key of the channel: the parts with their sizes.
  std::string key() const;
  // The channels on which a change of this subject is sent, the most general first.
  std::vector<RouteChannel> patterns() const;
};

class Decoder;
// Decodes the next key(). The channel borrows its bytes.
RouteChannel read_channel(Decoder& in);
RouteChannel channel_of(ByteView key);

// CRC32 (as in zip) of a channel's name, modulo `partitions`. REQUIRES: partitions > 0
uint32_t partition_of(ByteView name, uint32_t partitions);

}  // namespace millrace
