// An open key as the place of an object of the engine.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "engine/operation/place.h"
#include "module/abi/data_type.h"
#include "module/runtime/database_key.h"
#include "module/runtime/key_made.h"
#include "module/runtime/object_traits.h"

namespace millrace::module {

// Borrows the key and its name for its own lifetime. The context is that of the running command, or of the work on the
// agenda.
template <class Object>
class KeyPlace final : public Place<Object> {
 public:
  KeyPlace(abi::Context context, abi::StringRef name, abi::TypedKey<Object>& key)
      : Place<Object>(key.get()), context_(context), name_(name), key_(key) {}
  KeyPlace(const KeyPlace&) = delete;
  KeyPlace& operator=(const KeyPlace&) = delete;
  ~KeyPlace() override {
    if (kKeyIsHandedOn<Object> && is_to_go_) key_.remove();
  }

  ByteView name() const override { return name_.view(); }
  abi::Context context() const { return context_; }
  abi::StringRef key_name() const { return name_; }
  DatabaseKey database_key() const { return {context_.database(), std::string(name_.view())}; }

  // True if the object was created since the place was opened.
  bool is_made() const { return is_made_; }

  // The host's key, for its expiry.
  abi::TypedKey<Object>& key() { return key_; }

  // The expiry of a key that was handed on. Replicas have deleted the key in between, so the expiry must be replicated
  // again.
  std::optional<UnixMs> take_date_to_tell() { return std::exchange(date_to_tell_, std::nullopt); }

 private:
  Object* keep(Object&& object) override {
    if constexpr (kKeyIsHandedOn<Object>) {
      if (std::exchange(is_to_go_, false)) return hand_on(std::move(object));
    }
    key_.set(std::move(object));
    is_made_ = true;
    if (key_made != nullptr) [[unlikely]] {
      key_made(context_.database(), name_.view(), abi::DataType<Object>::number());
    }
    return key_.get();
  }
  // If the key may be handed on, it is deleted only when the place is closed: deleting and recreating a key would cost
  // a call of the host for each waiting client.
  void discard() override { kKeyIsHandedOn<Object> ? void(is_to_go_ = true) : key_.remove(); }

  Object* hand_on(Object&& object) {
    abi::TypeTraits<Object>::left({context_.database(), name_.view()}, key_.hosted());
    *key_.get() = std::move(object);
    date_to_tell_ = key_.expires_at();
    return key_.get();
  }

  abi::Context context_;
  abi::StringRef name_;
  abi::TypedKey<Object>& key_;
  bool is_made_ = false;
  bool is_to_go_ = false;  // the object was removed, and the key still exists
  std::optional<UnixMs> date_to_tell_;
};

}  // namespace millrace::module
