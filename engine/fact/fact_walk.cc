#include "engine/fact/fact_walk.h"

#include <algorithm>
#include <unordered_set>

namespace millrace {

namespace {

class Walker {
 public:
  Walker(const FactGraph& graph, const FactWalkRequest& request, FactName predicate, FactName end, uint64_t most_facts)
      : graph_(graph), request_(request), predicate_(predicate), end_(end), facts_left_(most_facts) {}

  FactWalk from(FactName start) {
    arrive(start, 0, {});
    for (size_t i = 0; i < steps_.size() && steps_[i].distance < request_.depth && !is_over_; ++i) leave(i);
    if (request_.end) {
      if (found_) walk_.path = path();
    } else {
      for (const Step& step : steps_) walk_.nodes.push_back({step.name, step.distance});
      walk_.nodes.erase(walk_.nodes.begin());
    }
    return std::move(walk_);
  }

 private:
  struct Step {
    FactName name;
    uint32_t distance;
    uint32_t before;  // the step that it was reached from
    Fact by;
  };

  // Follows all facts that lead from a step to others.
  void leave(size_t i) {
    const FactName here = steps_[i].name;
    const FactPattern leading = request_.is_reverse ? FactPattern{FactName::none(), predicate_, here}
                                                    : FactPattern{here, predicate_, FactName::none()};
    graph_.each(leading, nullptr, [&](const Fact& fact) {
      if (facts_left_ == 0) {
        stop(FactWalkStop::Work);
      } else {
        --facts_left_;
        arrive(request_.is_reverse ? fact.subject : fact.object, i, fact);
      }
      return !is_over_;
    });
  }

  void arrive(FactName name, size_t before, const Fact& by) {
    if (visited_.contains(name)) return;
    // The start is not counted.
    if (!request_.end && steps_.size() > request_.limit) return stop(FactWalkStop::Limit);
    visited_.insert(name);
    steps_.push_back({name, steps_.empty() ? 0 : steps_[before].distance + 1, static_cast<uint32_t>(before), by});
    if (request_.end && name == end_) is_over_ = found_ = true;
  }

  void stop(FactWalkStop reason) {
    walk_.stop = reason;
    is_over_ = true;
  }

  // The path to the last step.
  std::vector<Fact> path() const {
    std::vector<Fact> facts;
    for (size_t i = steps_.size() - 1; i > 0; i = steps_[i].before) facts.push_back(steps_[i].by);
    std::ranges::reverse(facts);
    return facts;
  }

  const FactGraph& graph_;
  const FactWalkRequest& request_;
  FactName predicate_;
  FactName end_;
  uint64_t facts_left_;
  std::vector<Step> steps_;
  std::unordered_set<FactName> visited_;
  FactWalk walk_;
  bool is_over_ = false;
  bool found_ = false;
};

}  // namespace

FactWalk walk_facts(const FactGraph& graph, const FactWalkRequest& request, uint64_t most_facts) {
  const FactName start = graph.names().find(request.start);
  const FactName predicate = request.predicate ? graph.names().find(*request.predicate) : FactName::none();
  const FactName end = request.end ? graph.names().find(*request.end) : FactName::none();
  const bool is_unknown =
      start.is_none() || (request.predicate && predicate.is_none()) || (request.end && end.is_none());
  if (is_unknown && !(request.end && start.is_some() && start == end)) return {};
  return Walker(graph, request, predicate, end, most_facts).from(start);
}

}  // namespace millrace
