#include "module/runtime/tell.h"

#include <string>
#include <vector>

#include "engine/base/decoder.h"

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

// Another request to the same key, with several arguments.
void replicate_command(abi::Context context, abi::StringRef key, const Effect& effect) {
  std::vector<abi::OwnedString> owned;
  Decoder in(effect.bytes);
  while (!in.finished()) owned.emplace_back(in.bytes(in.number()));
  std::vector<abi::StringRef> words = {key};
  words.insert(words.end(), owned.begin(), owned.end());
  context.replicate_words(effect.name, words);
}

}  // namespace

void tell_effects(abi::Context context, abi::StringRef key, const char* apply, const Effects& effects,
                  const HeldArguments* other) {
  effects.each([&] { other != nullptr ? other->replicate(context) : context.replicate_verbatim(); },
               [&](const Effect& effect) {
                 const ByteView bytes = effect.bytes;
                 if (effect.kind == Effect::Kind::Word) {
                   context.replicate(apply, key, effect.name);
                 } else if (effect.kind == Effect::Kind::Command) {
                   context.replicate(effect.name, key, bytes);
                 } else if (effect.kind == Effect::Kind::Words) {
                   replicate_command(context, key, effect);
                 } else if (effect.name == nullptr) {
                   context.replicate(apply, key, bytes);
                 } else {
                   context.replicate(apply, key, effect.name, bytes);
                 }
               });
}

void tell_named_events(abi::Context context, abi::StringRef key, const std::vector<std::string>& events) {
  for (const std::string& event : events) context.changed(key, event.c_str());
}

void tell_removal(abi::Context context, abi::StringRef key) {
  context.replicate("UNLINK", key);
  context.changed(key, "del");
}

}  // namespace millrace::module
