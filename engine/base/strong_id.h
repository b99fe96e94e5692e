// Numbers of 32 bits that identify things in a table, each with a type of its own: the id of a device cannot be passed
// where the id of a filter is expected.
//
//   using FilterSlot = StrongId<struct FilterSlotName>;
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace millrace {

// Two ids of the same type can be compared; there is no arithmetic and no conversion. A default-constructed id is
// none().
template <class Name>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(uint32_t value) : value_(value) {}

  // The id that no thing has: UINT32_MAX.
  static constexpr StrongId none() { return StrongId(); }
  constexpr bool is_none() const { return value_ == UINT32_MAX; }
  constexpr bool is_some() const { return value_ != UINT32_MAX; }

  constexpr uint32_t value() const { return value_; }

  friend constexpr auto operator<=>(StrongId, StrongId) = default;

 private:
  uint32_t value_ = UINT32_MAX;
};

static_assert(sizeof(StrongId<struct AnyName>) == sizeof(uint32_t));
static_assert(std::is_trivially_copyable_v<StrongId<struct AnyName>>);

}  // namespace millrace

template <class Name>
struct std::hash<millrace::StrongId<Name>> {
  size_t operator()(millrace::StrongId<Name> id) const noexcept { return std::hash<uint32_t>()(id.value()); }
};
