// Tells replicas, the append-only file and watchers of a key what an operation has done.
#pragma once

#include <utility>
#include <vector>

#include "engine/operation/outcome.h"
#include "module/abi/registration.h"

namespace millrace::module {

// The words of a command, its name first, for as long as they are needed. For a waiting command they are the host's own
// strings, so views of them stay valid.
class HeldArguments {
 public:
  explicit HeldArguments(abi::Arguments arguments);
  // For a command that did not come from a client.
  explicit HeldArguments(std::vector<abi::OwnedString> words) : words_(std::move(words)) {}
  // Sends the command to replicas and the AOF.
  void replicate(abi::Context context) const;

 private:
  std::vector<abi::OwnedString> words_;
};

// `other` is the command that the effects belong to, if it is not the one that the host is executing.
void tell_effects(abi::Context context, abi::StringRef key, const char* apply, const Effects& effects,
                  const HeldArguments* other);

void tell_named_events(abi::Context context, abi::StringRef key, const std::vector<std::string>& events);

// The object was removed, and its key with it.
void tell_removal(abi::Context context, abi::StringRef key);

// All of the above. Inlined into every command, because most have at most one effect and one event.
[[gnu::always_inline]] inline void tell(abi::Context context, abi::StringRef key, const char* apply,
                                        const Consequences& follow, const HeldArguments* other) {
  if (follow.effects.is_request_alone() && other == nullptr) [[likely]] {
    context.replicate_verbatim();
  } else if (!follow.effects.empty()) {
    tell_effects(context, key, apply, follow.effects, other);
  }
  for (const char* event : follow.events) context.changed(key, event);
  if (follow.named_events) [[unlikely]] {
    tell_named_events(context, key, *follow.named_events);
  }
  if (follow.is_removed) tell_removal(context, key);
}

}  // namespace millrace::module
