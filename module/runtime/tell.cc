#include "module/runtime/tell.h"

#include <string>

namespace millrace::module {

HeldArguments::HeldArguments(abi::Arguments arguments) {
  words_.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) words_.push_back(abi::OwnedString::hold(arguments.string(i)));
}

void HeldArguments::replicate(abi::Context context) const {
  const std::vector<abi::StringRef> words(words_.begin() + 1, words_.end());
  context.replicate_words(std::string(abi::StringRef(words_.front()).view()).c_str(), words);
}

namespace {

void tell_effects(abi::Context context, abi::StringRef key, const char* apply, const Effects& effects,
                  const HeldArguments* other) {
  effects.each([&] { other != nullptr ? other->replicate(context) : context.replicate_verbatim(); },
               [&](const Effect& effect) {
                 if (effect.kind == Effect::Kind::Word) return context.replicate(apply, key, effect.name);
                 const abi::OwnedString bytes(effect.bytes);
                 if (effect.kind == Effect::Kind::Command) {
                   context.replicate(effect.name, key, abi::StringRef(bytes));
                 } else if (effect.name == nullptr) {
                   context.replicate(apply, key, abi::StringRef(bytes));
                 } else {
                   context.replicate(apply, key, effect.name, abi::StringRef(bytes));
                 }
               });
}

}  // namespace

void tell(abi::Context context, abi::StringRef key, const char* apply, const Consequences& follow,
          const HeldArguments* other) {
  if (follow.effects.is_request_alone() && other == nullptr) [[likely]] {
    context.replicate_verbatim();
  } else if (!follow.effects.empty()) {
    tell_effects(context, key, apply, follow.effects, other);
  }
  if (follow.is_removed) context.replicate("UNLINK", key);
  for (const char* event : follow.events) context.changed(key, event);
  if (follow.is_removed) context.changed(key, "del");
}

}  // namespace millrace::module
