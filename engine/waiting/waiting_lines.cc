#include "engine/waiting/waiting_lines.h"

#include <algorithm>
#include <iterator>

namespace millrace {

namespace {

void sort_by_arrival(std::vector<Waiter*>& waiters) { std::ranges::sort(waiters, {}, &Waiter::arrival); }

}  // namespace

void WaitingLines::add(Waiter& waiter, const Wait& wait, uint64_t arrival, MonotonicMs deadline) {
  waiter.arrival_ = arrival;
  waiter.deadline_ = deadline;
  if (wait.line) {
    auto line = lines_.find(*wait.line);
    if (line == lines_.end()) line = lines_.emplace(std::string(*wait.line), Line()).first;
    waiter.in_line_ = {line, line->second.insert(line->second.end(), &waiter)};
  }
  waiter.mark_ = wait.mark;
  enter_marks(waiter, wait.tags);
  if (deadline != kNoDeadline) deadlines_.emplace(deadline, &waiter);
  waiter.by_sign_ = signs_.insert(signs_.end(), &waiter);
  waiter.seen_ = wait.seen.value_or(0);
  ++size_;
}

void WaitingLines::remove(Waiter& waiter) {
  if (waiter.in_line_) {
    const auto [line, at] = *waiter.in_line_;
    line->second.erase(at);
    if (line->second.empty()) lines_.erase(line);
    waiter.in_line_.reset();
  }
  leave_marks(waiter);
  if (waiter.deadline_ != kNoDeadline) deadlines_.erase({waiter.deadline_, &waiter});
  signs_.erase(waiter.by_sign_);
  --size_;
}

void WaitingLines::enter_marks(Waiter& waiter, std::span<const ByteView> tags) {
  if (tags.empty()) {
    if (waiter.mark_ != UINT64_MAX) marks_.emplace(waiter.mark_, &waiter);
    return;
  }
  tags_mark_ = tags_.empty() ? waiter.mark_ : std::min(tags_mark_, waiter.mark_);
  for (ByteView tag : tags) {
    auto place = tags_.find(tag);
    if (place == tags_.end()) place = tags_.emplace(std::string(tag), std::set<Waiter*, Waiter::Earlier>()).first;
    if (place->second.insert(&waiter).second) waiter.tags_.push_back(place);
  }
}

void WaitingLines::leave_marks(Waiter& waiter) {
  if (waiter.tags_.empty() && waiter.mark_ != UINT64_MAX) marks_.erase({waiter.mark_, &waiter});
  for (const auto place : waiter.tags_) {
    place->second.erase(&waiter);
    if (place->second.empty()) tags_.erase(place);
  }
  waiter.tags_.clear();
}

void WaitingLines::set_mark(Waiter& waiter, uint64_t mark) {
  if (!waiter.tags_.empty()) {
    waiter.mark_ = mark;
    // It may be another object, whose messages were not checked yet.
    tags_mark_ = std::min(tags_mark_, mark);
    return;
  }
  if (waiter.mark_ == mark) return;
  auto entry = waiter.mark_ == UINT64_MAX ? decltype(marks_)::node_type() : marks_.extract({waiter.mark_, &waiter});
  waiter.mark_ = mark;
  if (mark == UINT64_MAX) return;
  if (entry.empty()) {
    marks_.emplace(mark, &waiter);
  } else {
    entry.value().first = mark;
    marks_.insert(std::move(entry));
  }
}

void WaitingLines::wait_on(Waiter& waiter, const Wait& wait) {
  if (waiter.tags_.empty() == wait.tags.empty()) {
    // The tags of a request never change.
    set_mark(waiter, wait.mark);
  } else {
    leave_marks(waiter);
    waiter.mark_ = wait.mark;
    enter_marks(waiter, wait.tags);
  }
  if (wait.seen) set_seen(waiter, *wait.seen);
}

Waiter* WaitingLines::front(ByteView line) const {
  const auto found = lines_.find(line);
  return found == lines_.end() ? nullptr : found->second.front();
}

std::vector<Waiter*> WaitingLines::reached(uint64_t mark) const {
  std::vector<Waiter*> found;
  for (const auto& [waits_for, waiter] : marks_) {
    if (waits_for >= mark) break;
    found.push_back(waiter);
  }
  sort_by_arrival(found);
  return found;
}

std::vector<Waiter*> WaitingLines::tagged(ByteView tag, uint64_t mark) const {
  std::vector<Waiter*> found;
  const auto place = tags_.find(tag);
  if (place == tags_.end()) return found;
  std::ranges::copy_if(place->second, std::back_inserter(found), [&](Waiter* w) { return w->mark_ <= mark; });
  return found;
}

std::vector<std::string> WaitingLines::line_names() const {
  std::vector<std::string> names;
  for (const auto& [name, line] : lines_) names.push_back(name);
  return names;
}

std::vector<Waiter*> WaitingLines::in_line(ByteView line, size_t most) const {
  std::vector<Waiter*> found;
  const auto named = lines_.find(line);
  if (named == lines_.end()) return found;
  for (Waiter* waiter : named->second) {
    if (found.size() == most) break;
    found.push_back(waiter);
  }
  return found;
}

std::vector<Waiter*> WaitingLines::everybody() const {
  std::vector<Waiter*> found(signs_.begin(), signs_.end());
  sort_by_arrival(found);
  return found;
}

Waiter* WaitingLines::overdue(MonotonicMs now) const {
  return now > first_deadline() ? deadlines_.begin()->second : nullptr;
}

void WaitingLines::set_seen(Waiter& waiter, uint64_t when) {
  waiter.seen_ = when;
  signs_.splice(signs_.end(), signs_, waiter.by_sign_);
}

const char* WaitingLines::check() const {
  if (signs_.size() != size_) return "somebody is not in the list of signs";
  size_t marked = 0, tagged = 0, dated = 0, in_lines = 0;
  for (const Waiter* waiter : signs_) {
    marked += waiter->mark_ != UINT64_MAX && waiter->tags_.empty();
    for (const auto place : waiter->tags_) {
      ++tagged;
      if (!place->second.contains(const_cast<Waiter*>(waiter))) return "a waiter is not found by its tag";
    }
    dated += waiter->deadline_ != kNoDeadline;
    in_lines += waiter->in_line_.has_value();
  }
  if (marked != marks_.size()) return "the marks are not those of the waiters";
  for (const auto& [tag, waiters] : tags_) {
    if (waiters.empty()) return "a tag that nobody waits for";
    tagged -= waiters.size();
  }
  if (tagged != 0) return "the tags are not those of the waiters";
  if (dated != deadlines_.size()) return "the deadlines are not those of the waiters";
  for (const auto& [name, line] : lines_) {
    if (line.empty()) return "an empty line";
    in_lines -= line.size();
    if (!std::ranges::is_sorted(line, {}, &Waiter::arrival)) return "a line out of order";
  }
  return in_lines == 0 ? nullptr : "the lines are not those of the waiters";
}

}  // namespace millrace
