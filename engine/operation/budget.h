// How long background work (compaction, sweeping) may take. The caller measures the time; the work asks between its
// steps and stops when the budget is spent.
#pragma once

namespace millrace {

class Budget {
 public:
  virtual bool is_spent() const = 0;

 protected:
  ~Budget() = default;
};

// For work that is always completed.
class NoLimit final : public Budget {
 public:
  static const NoLimit& instance() {
    static constexpr NoLimit kInstance{};
    return kInstance;
  }
  bool is_spent() const override { return false; }
};

}  // namespace millrace
