// The requests that wait for one object, and which of them is next.
//
//   line "billing"   r1  r4  r7        served in the order of arrival; nobody is served before the one at the front
//   line "audit"     r2
//   no line          r3 (mark 120)     tried again when the object has reached their mark, in the order of arrival
//                    r5 (mark 121)
//   tag "paid"       r6  r8            tried again when something with this tag comes that is not before their mark
//   tag "late"       r6
//
// A request that is served leaves. If its client comes again, it stands at the end.
//
// Lines are a group's readers, a worker's pulls, the clients that want a lock. Marks are offsets: a write tries only
// those readers that it has reached, so ten thousand that wait for something far ahead cost it nothing. A request may
// have both. With tags it is found by the tags of what is new, and ten thousand that wait for other tags cost nothing.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/operation/outcome.h"
#include "engine/waiting/waiter.h"

namespace millrace {

class WaitingLines {
 public:
  WaitingLines() = default;
  WaitingLines(const WaitingLines&) = delete;
  WaitingLines& operator=(const WaitingLines&) = delete;

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  // It waits from now on, behind all that came before. The waiter stays where it is until it is removed. O(log n).
  void add(Waiter& waiter, const Wait& wait, uint64_t arrival, MonotonicMs deadline);
  // REQUIRES: it is here.
  void remove(Waiter& waiter);
  // It has found nothing before `mark`. REQUIRES: it is here.
  void set_mark(Waiter& waiter, uint64_t mark);
  // It was tried again, and waits for this now; it keeps its place in its line. REQUIRES: it is here.
  void wait_on(Waiter& waiter, const Wait& wait);

  // --- which one is next ---
  // The one at the front of a line, or null.
  Waiter* front(ByteView line) const;
  // True if it is the one at the front of its line.
  bool is_first(const Waiter& waiter) const {
    return waiter.in_line_ && waiter.in_line_->first->second.front() == &waiter;
  }
  // How many stand in its line, itself included; 1 if it stands in none.
  uint64_t line_length(const Waiter& waiter) const {
    return waiter.in_line_ ? waiter.in_line_->first->second.size() : 1;
  }
  size_t line_length(ByteView line) const {
    const auto found = lines_.find(line);
    return found == lines_.end() ? 0 : found->second.size();
  }
  // Those without tags whose mark is below `mark`, in the order of arrival. Costs what it finds.
  std::vector<Waiter*> reached(uint64_t mark) const;
  // Those with this tag whose mark is not above `mark`, in the order of arrival. O(log n) and all that wait for the
  // tag.
  std::vector<Waiter*> tagged(ByteView tag, uint64_t mark) const;
  bool has_tags() const { return !tags_.empty(); }
  // Whatever is before this mark has been shown to all that wait by tag: tagged() need not be asked about it again.
  uint64_t tags_mark() const { return tags_mark_; }
  void set_tags_mark(uint64_t mark) { tags_mark_ = mark; }
  bool has_line(ByteView line) const { return lines_.contains(line); }
  bool has_lines() const { return !lines_.empty(); }
  std::vector<std::string> line_names() const;
  // The name lives as long as anybody stands in the line. REQUIRES: it stands in one.
  ByteView line_of(const Waiter& waiter) const { return waiter.in_line_->first->first; }
  // All in a line, or in any, in the order of arrival, at most `most`.
  std::vector<Waiter*> in_line(ByteView line, size_t most) const;
  std::vector<Waiter*> everybody() const;

  // --- time ---
  // The earliest deadline; kNoDeadline if there is none.
  MonotonicMs first_deadline() const { return deadlines_.empty() ? kNoDeadline : deadlines_.begin()->first; }
  // One whose deadline is over, or null.
  Waiter* overdue(MonotonicMs now) const;

  // --- signs of life ---
  // A client that waits is there, and some families must be reminded of that. When each was last shown to be there is
  // kept here; the family says what the numbers mean.
  Waiter* longest_unseen() const { return signs_.empty() ? nullptr : signs_.front(); }
  uint64_t seen(const Waiter& waiter) const { return waiter.seen_; }
  void set_seen(Waiter& waiter, uint64_t when);

  // Proves the invariants; for tests. Returns what is broken, or nullptr.
  const char* check() const;

 private:
  using Line = Waiter::Line;

  void enter_marks(Waiter& waiter, std::span<const ByteView> tags);
  void leave_marks(Waiter& waiter);

  std::map<std::string, Line, std::less<>> lines_;
  std::set<std::pair<uint64_t, Waiter*>> marks_;  // of those without tags
  Waiter::ByTag tags_;
  uint64_t tags_mark_ = 0;
  std::set<std::pair<MonotonicMs, Waiter*>> deadlines_;
  Line signs_;  // the one that was seen longest ago first
  size_t size_ = 0;
};

// How many new messages are looked at in one turn for requests that wait by tag.
inline constexpr size_t kTagsPerTurn = 10'000;

// Tries the requests again that wait for the tag of something new: each_tag(from, visit) calls visit(tag, mark) for
// everything from the mark `from` on, until that returns false. False if more is left for another turn.
template <class GetLines, class EachTag, class TryAgain>
bool serve_by_tag(GetLines lines, EachTag each_tag, TryAgain try_again) {
  WaitingLines* waiting = lines();
  if (waiting == nullptr || !waiting->has_tags()) return true;
  size_t turns = 0;
  bool is_done = true;
  each_tag(waiting->tags_mark(), [&](ByteView tag, uint64_t mark) {
    if (turns++ == kTagsPerTurn) return is_done = false;
    for (Waiter* waiter : waiting->tagged(tag, mark)) {
      waiting->set_mark(*waiter, mark);
      // One that is kept back still waits for this, and is tried when the line is served the next time.
      if (!try_again(*waiter) && waiter->mark() == mark) return false;
      waiting = lines();
      if (waiting == nullptr) return false;
    }
    waiting->set_tags_mark(mark + 1);
    return true;
  });
  return is_done;
}

// Tries the requests again that `wake` names: try_again(waiter) executes its request, and returns true if it was
// answered; it has been removed from its line then. `lines` gives the object's lines, null once nobody waits any more.
template <class GetLines, class TryAgain>
void serve(GetLines lines, const Wake& wake, TryAgain try_again) {
  const auto serve_line = [&](ByteView name) {
    while (WaitingLines* waiting = lines()) {
      Waiter* first = waiting->front(name);
      if (first == nullptr || !try_again(*first)) return;
    }
  };
  if (lines() == nullptr) return;
  for (Waiter* waiter : lines()->reached(wake.mark)) try_again(*waiter);
  if (wake.lines == Wake::Lines::None || lines() == nullptr) return;
  if (wake.lines == Wake::Lines::One) return serve_line(std::string(wake.line));
  for (const std::string& name : lines()->line_names()) serve_line(name);
}

}  // namespace millrace
