// How long work that nobody asked for may go on: compaction, sweeping. The caller measures; the work asks between its
// steps and stops when the budget is spent.
#pragma once

namespace millrace {

class Budget {
 public:
  virtual bool is_spent() const = 0;

 protected:
  ~Budget() = default;
};

// For work that is done to its end.
class NoLimit final : public Budget {
 public:
  static const NoLimit& instance() {
    static constexpr NoLimit kInstance{};
    return kInstance;
  }
  bool is_spent() const override { return false; }
};

}  // namespace millrace
