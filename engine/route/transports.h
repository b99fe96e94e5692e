// The transports of a table by number, with the counters of each for ROUTE.INFO.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/base/bytes.h"
#include "engine/base/slots.h"
#include "engine/route/route_ids.h"

namespace millrace {

class Transports {
 public:
  struct Transport {
    std::string name;
    uint64_t devices = 0;
    DeviceSlot first;              // of its devices; Device::next_of_transport has the others
    mutable uint64_t matched = 0;  // devices found by matches since it was loaded
  };

  Transports clone() const {
    Transports copy;
    copy.slots_ = slots_.clone([](const Transport& each) { return Transport{each.name, each.devices, each.first, 0}; });
    copy.by_name_ = by_name_;
    return copy;
  }

  // One more device has it.
  TransportSlot use(ByteView name) {
    auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      found = by_name_.emplace(name, slots_.add()).first;
      slots_[found->second].name = name;
    }
    ++slots_[found->second].devices;
    return found->second;
  }

  // One device fewer; a transport without devices is removed.
  void release(TransportSlot slot) {
    if (--slots_[slot].devices > 0) return;
    by_name_.erase(slots_[slot].name);
    slots_.remove(slot);
  }

  TransportSlot find(ByteView name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? TransportSlot::none() : found->second;
  }

  const Transport& operator[](TransportSlot slot) const { return slots_[slot]; }
  Transport& operator[](TransportSlot slot) { return slots_[slot]; }
  const std::map<std::string, TransportSlot, std::less<>>& by_name() const { return by_name_; }

  uint64_t memory() const {
    uint64_t bytes = slots_.memory();
    for (const auto& [name, slot] : by_name_) bytes += 2 * name.capacity() + sizeof(name) + sizeof(slot) + 32;
    return bytes;
  }

 private:
  Slots<Transport, TransportSlot> slots_;
  std::map<std::string, TransportSlot, std::less<>> by_name_;
};

}  // namespace millrace
