// An open key as the place of an object of the engine.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/operation/place.h"
#include "module/abi/data_type.h"
#include "module/host/database_key.h"

namespace millrace::module {

// Borrows the key and its name for its own lifetime. The context is that of the command that is executed, or of whoever
// looks after the key.
template <class Object>
class KeyPlace final : public Place<Object> {
 public:
  KeyPlace(abi::Context context, abi::StringRef name, abi::TypedKey<Object>& key)
      : Place<Object>(name.view(), key.get()), context_(context), name_(name), key_(key) {}

  abi::Context context() const { return context_; }
  abi::StringRef key_name() const { return name_; }
  DatabaseKey database_key() const { return {context_.database(), std::string(name_.view())}; }

  // The host's side of it: expiry.
  abi::TypedKey<Object>& key() { return key_; }

 private:
  Object* keep(Object object) override {
    key_.set(std::make_unique<Object>(std::move(object)));
    return key_.get();
  }
  void discard() override { key_.remove(); }

  abi::Context context_;
  abi::StringRef name_;
  abi::TypedKey<Object>& key_;
};

}  // namespace millrace::module
