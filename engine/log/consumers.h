// The consumers that hold pending messages, by name. A name is stored only while it holds messages, so workers with
// random names do not accumulate.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/log/pending.h"

namespace millrace {

class Consumers {
 public:
  Consumers() = default;
  Consumers(Consumers&&) noexcept = default;
  Consumers& operator=(Consumers&&) noexcept = default;
  // Slots point to names inside the map, so a copy must point into its own map.
  Consumers(const Consumers& other) : ids_(other.ids_), slots_(other.slots_), free_(other.free_) {
    for (const auto& [name, id] : ids_) at(id).name = &name;
  }
  Consumers& operator=(const Consumers& other) { return *this = Consumers(other); }

  // Adds `messages` to what this name holds, and returns its id.
  ConsumerId hold(ByteView name, uint64_t messages) {
    auto found = ids_.find(name);
    if (found == ids_.end()) found = ids_.emplace(std::string(name), new_id()).first;
    Slot& slot = at(found->second);
    slot.name = &found->first;
    slot.messages += messages;
    return found->second;
  }
  // Subtracts `messages`; the id is freed when none are left. Messages without a consumer are not counted.
  void release(ConsumerId id, uint64_t messages) {
    if (id.is_none()) return;
    Slot& slot = at(id);
    slot.messages -= messages;
    if (slot.messages != 0) return;
    ids_.erase(*slot.name);
    slot.name = nullptr;
    free_.push_back(id);
    if (ids_.empty()) clear();
  }
  // REQUIRES: alive
  ByteView name(ConsumerId id) const { return *slots_[id.value() - 1].name; }
  // ConsumerId::none() if this name holds nothing.
  ConsumerId find(ByteView name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? ConsumerId::none() : found->second;
  }
  // How many messages it holds. REQUIRES: alive
  uint64_t messages(ConsumerId id) const { return slots_[id.value() - 1].messages; }
  size_t count() const { return ids_.size(); }
  void clear() { *this = {}; }
  // Frees up to `count` names; false once nothing is left.
  // REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some(size_t count) {
    for (; count > 0 && !ids_.empty(); --count) ids_.erase(ids_.begin());
    return !ids_.empty();
  }

  size_t memory() const {
    constexpr size_t kNode = 48 + sizeof(std::string);
    size_t bytes = slots_.capacity() * sizeof(Slot) + free_.capacity() * sizeof(ConsumerId) + ids_.size() * kNode;
    for (const auto& [name, id] : ids_) bytes += name.capacity() > 15 ? name.capacity() : 0;
    return bytes;
  }

  // The sum over all ids; for check().
  uint64_t messages() const {
    uint64_t sum = 0;
    for (const Slot& slot : slots_) sum += slot.messages;
    return sum;
  }

 private:
  struct Slot {
    const std::string* name = nullptr;
    uint64_t messages = 0;
  };

  Slot& at(ConsumerId id) { return slots_[id.value() - 1]; }
  ConsumerId new_id() {
    if (!free_.empty()) {
      const ConsumerId id = free_.back();
      free_.pop_back();
      return id;
    }
    slots_.emplace_back();
    return ConsumerId(static_cast<uint32_t>(slots_.size()));
  }

  std::map<std::string, ConsumerId, std::less<>> ids_;
  std::vector<Slot> slots_;
  std::vector<ConsumerId> free_;
};

}  // namespace millrace
