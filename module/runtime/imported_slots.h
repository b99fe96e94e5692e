// Slots that are being copied to this node while another one still serves them (abi/slot_moves.h). Their keys are here
// and follow what the other node decides, as a replica does. Until the slots are served here, nothing happens to their
// keys that was not decided there: no work on the agenda, no check of an index, no entry in a list of keys.
#pragma once

#include <span>

#include "engine/base/bytes.h"
#include "module/abi/registration.h"

namespace millrace::module::imported_slots {

namespace detail {
inline constinit bool is_any = false;
bool has(ByteView key);
}  // namespace detail

// Whether the key is in such a slot.
inline bool has(ByteView key) { return detail::is_any && detail::has(key); }
inline bool empty() { return !detail::is_any; }

// --- events ---
void begin(ByteView job, std::span<const abi::SlotRange> slots);
void end(ByteView job);

}  // namespace millrace::module::imported_slots
