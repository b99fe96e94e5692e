// Base class of TypeTraits for a key type whose keys are looked after at a date.
#pragma once

#include <optional>

#include "module/abi/data_type.h"
#include "module/runtime/key_date.h"
#include "module/runtime/object_traits.h"

namespace millrace::module {

// `Time` says which clock the family uses. ObjectTraits<T>::first_date() says when to look after an object that was
// just loaded, renamed or restored.
template <class T, class Time>
struct DatedType {
  struct Notes {
    KeyDate<Time> date;
  };

  static void arrived(const abi::KeyPlace& place, abi::Hosted<T>& value) {
    const std::optional<Time> date = ObjectTraits<T>::first_date(value.object);
    if (date) value.notes.date.keep(place.database, place.name, *date);
  }
  static void left(const abi::KeyPlace& place, abi::Hosted<T>& value) {
    value.notes.date.forget(place.database, place.name);
  }
};

}  // namespace millrace::module
