// A slice of time as the engine's budget. It begins when the work first asks, so that short work does not read the
// clock.
#pragma once

#include <optional>

#include "engine/operation/budget.h"
#include "module/runtime/slice.h"

namespace millrace::module {

class SliceBudget final : public Budget {
 public:
  bool is_spent() const override {
    if (!slice_) slice_.emplace();
    return slice_->is_over();
  }

 private:
  mutable std::optional<Slice> slice_;
};

}  // namespace millrace::module
