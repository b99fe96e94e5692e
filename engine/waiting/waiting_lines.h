// The requests that wait for one object, and which of them is next.
//
// line "billing"   r1  r4  r7        served in the order of arrival, always the one at the front first
//   line "audit"     r2
//   no line          r3 (mark 120)     tried again when the object has reached their mark, in the order of arrival
//                    r5 (mark 121)
//   tag "paid"       r6  r8            tried again when something with this tag comes that is not before their mark
//   tag "late"       r6
//
// A request that is served leaves the line. If its client sends another one, that one starts at the end.
//
// Lines are used for a group's readers, a worker's pulls, and the clients that wait for a lock. Marks are offsets: a
// write tries only readers whose mark it has reached, so ten thousand readers that wait for later offsets cost nothing.
// A request may have both. A request with tags is found by the tags of new messages, so ten thousand requests that wait
// for other tags cost nothing.
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

  // Adds a request after all earlier ones. The waiter must not move in memory until it is removed. O(log n).
  void add(Waiter& waiter, const Wait& wait, uint64_t arrival, MonotonicMs deadline);
  // REQUIRES: the request is in these lines.
  void remove(Waiter& waiter);
  // The request has found nothing before `mark`. REQUIRES: it is in these lines.
  void set_mark(Waiter& waiter, uint64_t mark);
  // The request was tried again and now waits for this; it keeps its place in its line. REQUIRES: it is in these lines.
  void wait_on(Waiter& waiter, const Wait& wait);

  // --- which one is next ---
  // The request at the front of a line, or null.
  Waiter* front(ByteView line) const;
  // True if the request is at the front of its line.
  bool is_first(const Waiter& waiter) const {
    return waiter.in_line_ && waiter.in_line_->first->second.front() == &waiter;
  }
  // How many requests are in its line, itself included; 1 if it is in no line.
  uint64_t line_length(const Waiter& waiter) const {
    return waiter.in_line_ ? waiter.in_line_->first->second.size() : 1;
  }
  size_t line_length(ByteView line) const {
    const auto found = lines_.find(line);
    return found == lines_.end() ? 0 : found->second.size();
  }
  // The requests without tags whose mark is below `mark`, in the order of arrival. Cost: O(requests found).
  std::vector<Waiter*> reached(uint64_t mark) const;
  // The requests with this tag whose mark is not above `mark`, in the order of arrival. Cost: O(log n) plus O(requests
  // that wait for the tag).
  std::vector<Waiter*> tagged(ByteView tag, uint64_t mark) const;
  bool has_tags() const { return !tags_.empty(); }
  // Messages before this mark were already checked for all requests that wait by tag: tagged() need not be called for
  // them again.
  uint64_t tags_mark() const { return tags_mark_; }
  void set_tags_mark(uint64_t mark) { tags_mark_ = mark; }
  bool has_line(ByteView line) const { return lines_.contains(line); }
  bool has_lines() const { return !lines_.empty(); }
  std::vector<std::string> line_names() const;
  // The name is valid as long as the line is not empty. REQUIRES: the request is in a line.
  ByteView line_of(const Waiter& waiter) const { return waiter.in_line_->first->first; }
  // All requests in one line, or in all lines, in the order of arrival, at most `most`.
  std::vector<Waiter*> in_line(ByteView line, size_t most) const;
  std::vector<Waiter*> everybody() const;

  // --- time ---
  // The earliest deadline; kNoDeadline if there is none.
  MonotonicMs first_deadline() const { return deadlines_.empty() ? kNoDeadline : deadlines_.begin()->first; }
  // A request whose deadline is over, or null.
  Waiter* overdue(MonotonicMs now) const;

  // --- signs of life ---
  // Some families must record from time to time that a waiting client is alive. The time of the last record for each
  // request is stored here; the family defines the meaning of the numbers.
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
  std::set<std::pair<uint64_t, Waiter*>> marks_;  // marks of requests without tags
  Waiter::ByTag tags_;
  uint64_t tags_mark_ = 0;
  std::set<std::pair<MonotonicMs, Waiter*>> deadlines_;
  Line signs_;  // the one whose last sign of life is oldest first
  size_t size_ = 0;
};

// How many new messages are looked at in one turn for requests that wait by tag.
inline constexpr size_t kTagsPerTurn = 10'000;

// Tries requests again that wait for the tag of a new message. each_tag(from, visit) calls visit(tag, mark) for every
// message from the mark `from` on, until visit returns false. False if more is left for another turn.
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
      // A request that cannot be executed now still waits for this message, and is tried the next time.
      if (!try_again(*waiter) && waiter->mark() == mark) return false;
      waiting = lines();
      if (waiting == nullptr) return false;
    }
    waiting->set_tags_mark(mark + 1);
    return true;
  });
  return is_done;
}

// Tries the requests again that `wake` names. try_again(waiter) executes the request, and returns true if it was
// answered; then it has been removed from its line. `lines` returns the object's lines, or null once no request waits
// any more.
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
