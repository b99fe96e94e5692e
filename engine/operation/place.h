// Where an object is stored under its name: a key of the host, an entry of a map. Operations take a place instead of an
// object, because many of them create the object if it is missing, and some remove it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/base/bytes.h"

namespace millrace {

template <class Object>
class Place {
 public:
  virtual ~Place() = default;

  // Valid as long as the place.
  virtual ByteView name() const = 0;
  // Null if there is no such object.
  Object* get() const { return object_; }

  // REQUIRES: get() == nullptr
  Object& put(Object&& object) {
    object_ = keep(std::move(object));
    return *object_;
  }
  // REQUIRES: get() != nullptr
  void remove() {
    object_ = nullptr;
    discard();
  }

 protected:
  explicit Place(Object* object) : object_(object) {}
  Place(const Place&) = default;
  Place& operator=(const Place&) = default;

 private:
  virtual Object* keep(Object&& object) = 0;
  virtual void discard() = 0;

  Object* object_;
};

// A place that owns its object: for programs that store objects themselves, and for tests.
template <class Object>
class OwnPlace final : public Place<Object> {
 public:
  explicit OwnPlace(std::string name) : Place<Object>(nullptr), name_(std::move(name)) {}

  ByteView name() const override { return name_; }

 private:
  Object* keep(Object&& object) override {
    object_ = std::make_unique<Object>(std::move(object));
    return object_.get();
  }
  void discard() override { object_.reset(); }

  std::string name_;
  std::unique_ptr<Object> object_;
};

}  // namespace millrace
