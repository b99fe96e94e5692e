// A message on its way to its receiver, and where it comes from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gateway/loop/event_loop.h"

namespace millrace::gateway {

struct Parcel {
  uint64_t number = 0;  // number in its source: an offset, or the order of arrival
  std::string lane;     // if the webhook is in order, parcels of one lane are sent one after the other
  std::string id;       // webhook-id
  std::string content;
  std::vector<std::pair<std::string, std::string>> headers;  // headers that name the origin
  unsigned long attempts = 0;                                // failed attempts
};

class HookSource {
 public:
  virtual ~HookSource() = default;

  // From now on, passes parcels to the courier while it has room.
  virtual void start() = 0;
  // The courier may have room again.
  virtual void on_room() = 0;

  // The parcel was delivered.
  virtual void finish(const Parcel& parcel) = 0;
  // The parcel is given up: it will never be delivered.
  virtual void give_up(const Parcel& parcel, const std::string& reason) = 0;
  // The parcel must be tried again after the pause. True: the source will pass it again; false: the courier keeps it.
  virtual bool give_back(const Parcel& parcel, Milliseconds pause) = 0;

  // Passes no more parcels.
  virtual void stop() = 0;
  // Whether the server knows of all parcels that were delivered or given up.
  virtual bool is_settled() const = 0;
  // Lets another deliverer take over at once.
  virtual void leave() = 0;
};

}  // namespace millrace::gateway
