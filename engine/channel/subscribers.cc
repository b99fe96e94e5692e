#include "engine/channel/subscribers.h"

namespace millrace {

Subscribers Subscribers::clone() const {
  Subscribers copy(key_);
  for (const Subscriber& subscriber : by_activity_) copy.add(subscriber.name, subscriber.position, subscriber.active);
  return copy;
}

Subscribers::Order::iterator* Subscribers::locate(ByteView name) {
  return by_name_.find(hash(name), [&](Order::iterator at) { return at->name == name; });
}

Subscriber* Subscribers::find(ByteView name) {
  Order::iterator* at = locate(name);
  return at == nullptr ? nullptr : &**at;
}

Subscriber& Subscribers::add(ByteView name, Offset position, UnixMs active) {
  by_activity_.push_back({std::string(name), position, active});
  by_name_.insert(hash(name), std::prev(by_activity_.end()));
  return by_activity_.back();
}

void Subscribers::touch(Subscriber& subscriber, UnixMs now) {
  subscriber.active = now;
  if (&subscriber == &by_activity_.back()) return;
  by_activity_.splice(by_activity_.end(), by_activity_, *locate(subscriber.name));
}

void Subscribers::remove(Subscriber& subscriber) {
  const Order::iterator at = *locate(subscriber.name);
  by_name_.erase(hash(subscriber.name), at);
  by_activity_.erase(at);
  by_name_.shrink(size(), [](Order::iterator) { return true; });
}

void Subscribers::remove_inactive(UnixMs date, size_t limit) {
  while (limit-- > 0 && !by_activity_.empty() && by_activity_.front().active < date) remove(by_activity_.front());
}

uint64_t Subscribers::memory() const {
  constexpr size_t kNode = 2 * sizeof(void*) + sizeof(Subscriber);
  constexpr size_t kInside = 15;  // what a std::string holds without an allocation
  uint64_t bytes = by_name_.memory() + size() * kNode;
  for (const Subscriber& subscriber : by_activity_) {
    if (subscriber.name.capacity() > kInside) bytes += subscriber.name.capacity() + 1;
  }
  return bytes;
}

const char* Subscribers::check() const {
  if (const char* broken = by_name_.check()) return broken;
  if (by_name_.size() != size()) return "a name without a subscriber, or the reverse";
  UnixMs latest;
  for (const Subscriber& subscriber : by_activity_) {
    if (subscriber.active < latest) return "subscribers are not in the order of their activity";
    if (find(subscriber.name) != &subscriber) return "a subscriber is not found by its name";
    latest = subscriber.active;
  }
  return nullptr;
}

}  // namespace millrace
