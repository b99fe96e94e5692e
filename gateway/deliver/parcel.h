// A message on its way to its receiver, and where it comes from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gateway/loop/event_loop.h"

namespace millrace::gateway {

struct Parcel {
  uint64_t number = 0;  // which message of its source it is: an offset, or the order of coming
  std::string lane;     // parcels of one lane go one after the other, if the webhook is in order
  std::string id;       // webhook-id
  std::string content;
  std::vector<std::pair<std::string, std::string>> headers;  // that say where it comes from
  unsigned long attempts = 0;                                // that have failed
};

class HookSource {
 public:
  virtual ~HookSource() = default;

  // Hands parcels to the courier from now on, as long as that has room.
  virtual void start() = 0;
  // The courier may have room again.
  virtual void on_room() = 0;

  // The parcel has arrived.
  virtual void finish(const Parcel& parcel) = 0;
  // It never will.
  virtual void give_up(const Parcel& parcel, const std::string& reason) = 0;
  // It is to be tried again after the pause. True: the source hands it out again then; else the courier keeps it.
  virtual bool give_back(const Parcel& parcel, Milliseconds pause) = 0;

  // Hands out no more.
  virtual void stop() = 0;
  // Whether the server has been told of everything that has arrived, or never will.
  virtual bool is_settled() const = 0;
  // Lets another deliverer take over at once.
  virtual void leave() = 0;
};

}  // namespace millrace::gateway
