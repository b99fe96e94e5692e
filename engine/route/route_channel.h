// What a change is about, and where one is heard: an application and a model, maybe of one
// user, maybe one object. A change with all four parts is heard on four channels.
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

  // As people write it. Each channel has a name of its own: a part of several words with colons between them, one of
  // which is "user", "model" or "id", is written with %3A for its colons, and a part that has %3A or %25 with %25 for
  // its percent signs.
  //
  //   APP a:model:b MODEL c      app:a%3Amodel%3Ab:model:c
  //   APP a MODEL b:model:c      app:a:model:b%3Amodel%3Ac
  //   APP a MODEL m ID urn:isbn:0451450523    app:a:model:m:id:urn:isbn:0451450523
  std::string name() const;
  // One for each channel: the parts with their sizes.
  std::string key() const;
  // The channels on which a change of this is heard, the most general first.
  std::vector<RouteChannel> patterns() const;
};

class Decoder;
// The channel whose key() comes next. Borrows it.
RouteChannel read_channel(Decoder& in);
RouteChannel channel_of(ByteView key);

// CRC32 (as zip has it) of a channel's name, modulo `partitions`. REQUIRES: partitions > 0
uint32_t partition_of(ByteView name, uint32_t partitions);

}  // namespace millrace
