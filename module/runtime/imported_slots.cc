#include "module/runtime/imported_slots.h"

#include <bitset>
#include <map>
#include <string>
#include <vector>

#include "engine/base/hash_slot.h"

namespace millrace::module::imported_slots {

namespace {

// By the names of the jobs: a job may begin several times, or end without having begun on this server.
std::map<std::string, std::vector<abi::SlotRange>, std::less<>> jobs;
std::bitset<kHashSlots> slots_of_all;

void update() {
  slots_of_all.reset();
  for (const auto& [job, slots] : jobs) {
    for (const abi::SlotRange& range : slots) {
      for (size_t slot = range.first; slot <= range.last && slot < kHashSlots; ++slot) slots_of_all.set(slot);
    }
  }
  detail::is_any = !jobs.empty();
}

}  // namespace

bool detail::has(ByteView key) { return slots_of_all.test(hash_slot(key)); }

void begin(ByteView job, std::span<const abi::SlotRange> slots) {
  jobs[std::string(job)].assign(slots.begin(), slots.end());
  update();
}

void end(ByteView job) {
  if (const auto found = jobs.find(job); found != jobs.end()) jobs.erase(found);
  update();
}

}  // namespace millrace::module::imported_slots
