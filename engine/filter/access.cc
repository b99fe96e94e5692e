#include "engine/filter/access.h"

#include <algorithm>
#include <limits>
#include <map>

namespace millrace {

namespace {

using Access = std::optional<std::vector<Equality>>;
using Cost = std::function<uint64_t(const Equality&)>;

uint64_t cost_of(const std::vector<Equality>& access, const Cost& cost) {
  uint64_t sum = access.size();
  for (const Equality& equality : access) sum += cost(equality);
  return sum;
}

}  // namespace

std::vector<const Filter*> conjuncts(const Filter& filter) {
  if (filter.kind != Filter::Kind::And) return {&filter};
  std::vector<const Filter*> parts;
  for (const Filter& part : filter.parts) parts.push_back(&part);
  return parts;
}

Access best_access(const Filter& filter, const Cost& cost, size_t longest) {
  Access best;
  switch (filter.kind) {
    case Filter::Kind::Condition:
      if ((filter.op != Operator::Eq && filter.op != Operator::In) || filter.operands.size() > longest) return best;
      best.emplace();
      for (const Scalar& operand : filter.operands) best->push_back({filter.field, operand});
      return best;
    case Filter::Kind::And: {
      uint64_t least = UINT64_MAX;
      for (const Filter& part : filter.parts) {
        Access access = best_access(part, cost, longest);
        const uint64_t sum = access ? cost_of(*access, cost) : UINT64_MAX;
        if (sum >= least) continue;
        best = std::move(access);
        least = sum;
        if (least <= 1) break;  // one value that leads to no other filter: nothing is better
      }
      return best;
    }
    case Filter::Kind::Or:
      best.emplace();
      for (const Filter& part : filter.parts) {
        const Access access = best_access(part, cost, longest);
        if (!access || best->size() + access->size() > longest) return std::nullopt;
        best->insert(best->end(), access->begin(), access->end());
      }
      return best;
    case Filter::Kind::Not:
      break;
  }
  return std::nullopt;
}

std::vector<Interval> necessary_intervals(const Filter& filter, size_t longest) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::map<std::string, Interval> intervals;
  for (const Filter* part : conjuncts(filter)) {
    if (part->kind != Filter::Kind::Condition || part->operands.size() != 1) continue;
    if (part->operands.front().kind != ScalarKind::Number) continue;
    const double border = part->operands.front().number.approximate();
    Interval& interval = intervals.try_emplace(part->field, Interval{part->field, -kInfinity, kInfinity}).first->second;
    if (part->op == Operator::Gt || part->op == Operator::Gte || part->op == Operator::Eq) {
      interval.low = std::max(interval.low, std::nextafter(border, -kInfinity));
    }
    if (part->op == Operator::Lt || part->op == Operator::Lte || part->op == Operator::Eq) {
      interval.high = std::min(interval.high, std::nextafter(border, kInfinity));
    }
  }
  std::vector<Interval> found;
  for (auto& [field, interval] : intervals) {
    if (found.size() == longest) break;
    if (interval.low > -kInfinity || interval.high < kInfinity) found.push_back(std::move(interval));
  }
  return found;
}

}  // namespace millrace
