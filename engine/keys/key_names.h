// The sorted names of the Millrace keys in one database, by type: a page of names is found without looking at any other
// key. Memory for each name: the bytes that are not shared with its neighbours in the chunk, and about two more.
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
  // False if the name exists already with this type. If it has another type, the type is replaced.
  bool add(KeyType type, ByteView name);
  // False if there is no such name.
  bool remove(ByteView name);

  uint64_t size(KeyType type) const { return types_[type].short_names.size() + types_[type].long_names.size(); }
  uint64_t size() const;
  size_t memory() const;
  // Frees a part; false once nothing is left. REQUIRES: afterwards only free_some() and the destructor are called.
  bool free_some();

  // Visits the names of one type, or of all types, in order. Valid until the next change of the names.
  class Walk {
   public:
    Walk(const KeyNames& names, std::optional<KeyType> type);
    // To the first name, or to the first one that is greater than `after`.
    void begin(const std::optional<ByteView>& after);
    bool is_at_name() const { return at_.has_value(); }
    // REQUIRES for all of these: is_at_name()
    KeyType type() const { return *at_; }
    ByteView name() const { return sources_[*at_]->front; }
    void next();

   private:
    // A position in the names of one type; `front` is the name at this position.
    struct Source {
      ByteOrder::Walk short_names;
      std::set<std::string>::const_iterator long_name;
      std::set<std::string>::const_iterator end;
      std::string front = {};
      bool has_front = false;
      bool is_long = false;  // whether `front` is one of long_names
    };
    static void set_front(Source& source);
    // Selects the source with the least front.
    void choose();

    const KeyNames& names_;
    std::array<std::optional<Source>, kKeyTypes> sources_;
    std::optional<KeyType> at_;
  };

 private:
  // A ByteOrder requires that no entry is a prefix of another one, and limits their length.
  static constexpr size_t kMostShort = 8192;
  static std::string entry_of(ByteView name);

  struct Names {
    ByteOrder short_names;             // encoded by entry_of()
    std::set<std::string> long_names;  // not encoded; usually empty
  };
  std::array<Names, kKeyTypes> types_;
};

}  // namespace millrace
