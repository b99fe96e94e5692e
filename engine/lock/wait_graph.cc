#include "engine/lock/wait_graph.h"

#include <algorithm>
#include <optional>

namespace millrace {

void WaitGraph::waits(ByteView owner, size_t lock) {
  auto found = waits_for_.find(owner);
  if (found == waits_for_.end()) found = waits_for_.emplace(owner, std::vector<size_t>()).first;
  found->second.push_back(lock);
}

void WaitGraph::holds(ByteView owner, size_t lock) { held_by_[lock].emplace_back(owner); }

namespace {

// A depth-first walk without recursion, because a chain of owners may be long. Each owner and each lock is entered only
// once. So the holders of a lock are walked once, even if many owners wait for the lock.
class Walk {
 public:
  using WaitsFor = std::map<std::string, std::vector<size_t>, std::less<>>;
  using HeldBy = std::map<size_t, std::vector<std::string>>;

  Walk(const WaitsFor& waits_for, const HeldBy& held_by, size_t most)
      : waits_for_(waits_for), held_by_(held_by), most_(most) {}

  void from(const WaitsFor::value_type& start) {
    enter(start);
    while (!path_.empty() && cycles.size() < most_) {
      Step& step = path_.back();
      if (step.holder == step.holders->size()) {
        next_lock(step);
        continue;
      }
      const auto next = waits_for_.find((*step.holders)[step.holder++]);
      if (next != waits_for_.end()) enter(*next);
    }
  }

  std::vector<std::vector<std::string>> cycles;

 private:
  enum class Was { OnPath, Left };
  struct Step {
    const WaitsFor::value_type* owner;
    size_t next = 0;                            // which of its locks to enter next
    std::optional<size_t> lock = std::nullopt;  // the one that was entered
    const std::vector<std::string>* holders = &kNobody;
    size_t holder = 0;  // the next one to look at
  };

  void enter(const WaitsFor::value_type& owner) {
    const auto [found, is_new] = owners_.emplace(&owner, Was::OnPath);
    if (is_new) return path_.push_back({&owner});
    if (found->second == Was::OnPath) note_cycle(std::ranges::find(path_, &owner, &Step::owner));
  }

  void next_lock(Step& step) {
    if (step.lock) locks_[*step.lock] = Was::Left;
    step.lock.reset();
    if (step.next == step.owner->second.size()) {
      owners_[step.owner] = Was::Left;
      return path_.pop_back();
    }
    const size_t lock = step.owner->second[step.next++];
    const auto [found, is_new] = locks_.emplace(lock, Was::OnPath);
    if (!is_new) {
      // The owner from which the walk entered the lock is outside the cycle, so the cycle begins after it.
      if (found->second == Was::OnPath) note_cycle(std::ranges::find(path_, lock, &Step::lock) + 1);
      return;
    }
    step.lock = lock;
    const auto held = held_by_.find(lock);
    step.holders = held == held_by_.end() ? &kNobody : &held->second;
    step.holder = 0;
  }

  // The owners on the path from here to its end.
  void note_cycle(std::vector<Step>::const_iterator from) {
    std::vector<std::string>& cycle = cycles.emplace_back();
    for (; from != path_.end(); ++from) cycle.push_back(from->owner->first);
  }

  static inline const std::vector<std::string> kNobody;

  const WaitsFor& waits_for_;
  const HeldBy& held_by_;
  size_t most_;
  std::vector<Step> path_;
  std::map<const WaitsFor::value_type*, Was> owners_;
  std::map<size_t, Was> locks_;
};

}  // namespace

std::vector<std::vector<std::string>> WaitGraph::cycles(size_t most) const {
  Walk walk(waits_for_, held_by_, most);
  for (const auto& owner : waits_for_) {
    if (walk.cycles.size() >= most) break;
    walk.from(owner);
  }
  return walk.cycles;
}

}  // namespace millrace
