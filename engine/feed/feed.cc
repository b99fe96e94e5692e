#include "engine/feed/feed.h"

namespace millrace {

namespace {

// How many keys free_some() removes.
constexpr size_t kFreedAtOnce = 100;

}  // namespace

void Watch::key_changed() { feed_.set_dirty(*this); }

void WatchList::add_last(Watch& watch) {
  watch.before_ = last_;
  watch.behind_ = nullptr;
  (last_ == nullptr ? first_ : last_->behind_) = &watch;
  last_ = &watch;
  ++size_;
}

void WatchList::remove(Watch& watch) {
  (watch.before_ == nullptr ? first_ : watch.before_->behind_) = watch.behind_;
  (watch.behind_ == nullptr ? last_ : watch.behind_->before_) = watch.before_;
  --size_;
}

const char* WatchList::check(Watch::Line line) const {
  size_t count = 0;
  const Watch* before = nullptr;
  for (const Watch* watch = first_; watch != nullptr; watch = watch->behind_) {
    if (watch->before_ != before) return "a line of watches is broken";
    if (watch->line_ != line) return "a watch is in the wrong line";
    before = watch;
    ++count;
  }
  return before == last_ && count == size_ ? nullptr : "a line of watches has another end";
}

Feed::~Feed() {
  while (free_some()) {
  }
}

WatchList& Feed::line_of(const Watch& watch) {
  switch (watch.line_) {
    case Watch::Line::Dirty:
      return dirty_;
    case Watch::Line::Idle:
      return idle_;
    case Watch::Line::Unborn:
      break;
  }
  return unborn_;
}

void Feed::move_to(Watch& watch, Watch::Line line) {
  line_of(watch).remove(watch);
  watch.line_ = line;
  line_of(watch).add_last(watch);
}

Watch* Feed::find(ByteView key) const {
  Watcher* found = keys_.find(
      database_, key, [&](const Watcher& watcher) { return &static_cast<const Watch&>(watcher).feed() == this; });
  return static_cast<Watch*>(found);
}

Watch& Feed::add(ByteView key, FeedPosition position) {
  auto* watch = new Watch(*this);
  watch->position = position;
  keys_.add(database_, key, *watch);
  idle_.add_last(*watch);
  set_idle(*watch);
  return *watch;
}

void Feed::remove(Watch& watch) {
  keys_.remove(watch);
  line_of(watch).remove(watch);
  delete &watch;
}

void Feed::set_idle(Watch& watch) {
  const bool is_unborn = std::holds_alternative<BeforeBirth>(watch.position);
  move_to(watch, is_unborn ? Watch::Line::Unborn : Watch::Line::Idle);
}

void Feed::set_dirty(Watch& watch) {
  if (watch.line_ == Watch::Line::Dirty) return;
  put_last(watch);
}

void Feed::put_last(Watch& watch) {
  move_to(watch, Watch::Line::Dirty);
  wake_readers();
}

void Feed::wake_readers() {
  if (waiting == 0 || is_woken_ || dirty() == 0) return;
  is_woken_ = true;
  woken_.push_back(this);
}

Watch* Feed::next_unborn() {
  Watch* first = unborn_.first();
  if (first != nullptr) move_to(*first, Watch::Line::Unborn);
  return first;
}

bool Feed::free_some() {
  for (size_t i = 0; i < kFreedAtOnce; ++i) {
    Watch* watch = dirty_.first() != nullptr  ? dirty_.first()
                   : idle_.first() != nullptr ? idle_.first()
                                              : unborn_.first();
    if (watch == nullptr) return false;
    remove(*watch);
  }
  return true;
}

size_t Feed::memory() const { return sizeof(*this) + name_.capacity() + user_.capacity() + size() * sizeof(Watch); }

const char* Feed::check() const {
  const std::pair<const WatchList*, Watch::Line> lines[] = {
      {&dirty_, Watch::Line::Dirty}, {&idle_, Watch::Line::Idle}, {&unborn_, Watch::Line::Unborn}};
  for (const auto& [list, line] : lines) {
    if (const char* broken = list->check(line)) return broken;
    for (const Watch* watch = list->first(); watch != nullptr; watch = watch->behind_) {
      if (find(watch->key_name()) != watch) return "a key is watched twice";
      const bool is_unborn = std::holds_alternative<BeforeBirth>(watch->position);
      if (line != Watch::Line::Dirty && is_unborn != (line == Watch::Line::Unborn)) return "an idle watch is misplaced";
    }
  }
  return nullptr;
}

}  // namespace millrace
