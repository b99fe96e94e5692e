// The names of our keys in one database, in their order, by type: a page of them is found without looking at any other
// key. A name takes what its chunk does not share of it, and some two bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "engine/base/byte_order.h"
#include "engine/base/bytes.h"

namespace millrace {

// In the order of the module's families.
inline constexpr size_t kKeyTypes = 8;
using KeyType = uint8_t;

class KeyNames {
 public:
  // False if it is there already; under another type, it is that no longer.
  bool add(KeyType type, ByteView name);
  // False if it is not there.
  bool remove(ByteView name);

  uint64_t size(KeyType type) const { return types_[type].short_names.size() + types_[type].long_names.size(); }
  uint64_t size() const;
  size_t memory() const;
  // Frees a part; false once nothing is left. REQUIRES: nothing but more of this, and its destruction, follows.
  bool free_some();

  // One name after the other, of one type or of all. Valid until the next change.
  class Walk {
   public:
    Walk(const KeyNames& names, std::optional<KeyType> type);
    // To the first name, or to the first one that is greater than `after`.
    void begin(const std::optional<ByteView>& after);
    bool is_at_name() const { return at_.has_value(); }
    // REQUIRES: is_at_name(), for all of these.
    KeyType type() const { return *at_; }
    ByteView name() const { return sources_[*at_]->front; }
    void next();

   private:
    // The names of one type, with the next one of them.
    struct Source {
      ByteOrder::Walk short_names;
      std::set<std::string>::const_iterator long_name;
      std::set<std::string>::const_iterator end;
      std::string front = {};
      bool has_front = false;
      bool is_long = false;  // the front
    };
    static void set_front(Source& source);
    // Which source has the least front.
    void choose();

    const KeyNames& names_;
    std::array<std::optional<Source>, kKeyTypes> sources_;
    std::optional<KeyType> at_;
  };

 private:
  // In a ByteOrder no entry begins with another one, and none is longer than it can hold.
  static constexpr size_t kMostShort = 8192;
  static std::string entry_of(ByteView name);

  struct Names {
    ByteOrder short_names;             // entries
    std::set<std::string> long_names;  // as they are: hardly ever any
  };
  std::array<Names, kKeyTypes> types_;
};

}  // namespace millrace
