// What an operation returns: its answer, and its consequences, which the caller carries out. The engine itself does not
// replicate, does not wake clients and sets no timers; it returns what has to be done.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/error.h"
#include "engine/base/strong.h"
#include "engine/base/varint.h"

namespace millrace {

// One change that replicas and the append-only file must get, so that their object becomes the same.
struct Effect {
  enum class Kind : uint8_t {
    Apply,    // a word and bytes for apply() of the family: TAPPLY key DELIVERED bytes
    Word,     // a word alone: SHARD.APPLY key SETTLE
    Command,  // another request to the same object: TEVICT key 41
    Words,    // the same with several arguments: TACK key group 1-20000
  };
  Kind kind = Kind::Apply;
  const char* name = "";  // the word, or the command
  std::string bytes;      // its only argument; none for Word; for Words each of them, after its length as a varint
};

// In the order in which they must be told. Nearly every operation has one, and most of them the request itself: others
// are made only when they are added, so that an operation does not pay for what it has not.
class Effects {
 public:
  // Not defaulted: that would be deleted, because of the union.
  Effects() {}  // NOLINT(modernize-use-equals-default)
  Effects(Effects&& other) noexcept { take(other); }
  Effects& operator=(Effects&& other) noexcept {
    if (this == &other) return *this;
    clear();
    take(other);
    return *this;
  }
  ~Effects() { clear(); }

  bool empty() const { return size_ == 0 && request_ == 0; }
  bool is_request_alone() const { return size_ == 0 && request_ != 0; }

  // The request itself is an effect: a replica that repeats it gets the same result. At most once.
  void add_request() { request_ = size_ + 1; }
  void add(const char* word, std::string bytes) { add({Effect::Kind::Apply, word, std::move(bytes)}); }
  void add(const char* word) { add({Effect::Kind::Word, word, {}}); }
  void add(const char* word, uint64_t number) { add(word, std::to_string(number)); }
  void add_command(const char* name, uint64_t argument) {
    add({Effect::Kind::Command, name, std::to_string(argument)});
  }

  void add_words(const char* name, std::span<const ByteView> words) {
    std::string bytes;
    for (ByteView word : words) {
      append_varint(bytes, word.size());
      bytes += word;
    }
    add({Effect::Kind::Words, name, std::move(bytes)});
  }

  // Calls tell_request() and tell(effect) in order.
  template <class TellRequest, class Tell>
  void each(TellRequest tell_request, Tell tell) const {
    for (uint32_t i = 0; i <= size_; ++i) {
      if (request_ == i + 1) tell_request();
      if (i < size_) tell(i == 0 ? others_.first : others_.more[i - 1]);
    }
  }

 private:
  // All but the request. The first takes no memory of its own.
  struct Others {
    Effect first;
    std::vector<Effect> more;
  };

  // Functions of their own, because they are seldom called, and because g++ 12 takes members of the union for used
  // uninitialized where it sees all of this at once.
  [[gnu::noinline]] void add(Effect effect) {
    if (size_++ == 0) {
      std::construct_at(&others_, Others{std::move(effect), {}});
    } else {
      others_.more.push_back(std::move(effect));
    }
  }
  [[gnu::noinline]] void destroy_others() { std::destroy_at(&others_); }
  [[gnu::noinline]] void take_others(Effects& from) {
    std::construct_at(&others_, std::move(from.others_));
    from.destroy_others();
  }

  void clear() {
    if (size_ != 0) destroy_others();
  }
  // REQUIRES: this one is empty, or has been cleared
  void take(Effects& from) {
    size_ = std::exchange(from.size_, 0);
    request_ = std::exchange(from.request_, 0);
    if (size_ != 0) take_others(from);
  }

  union {
    Others others_;  // only if size_ != 0
  };
  uint32_t size_ = 0;
  uint32_t request_ = 0;  // 1 plus the number of effects before the request; 0: the request is not an effect
};

// What happened to the object, as names of keyspace events ("twrite"). At most kMost; further ones are dropped.
class Events {
 public:
  bool empty() const { return size_ == 0; }
  void add(const char* name) {
    if (size_ < kMost) names_[size_++] = name;
  }
  const char* const* begin() const { return names_; }
  const char* const* end() const { return names_ + size_; }

 private:
  static constexpr uint8_t kMost = 4;
  const char* names_[kMost];  // the first size_ of them
  uint8_t size_ = 0;
};

// Which of the requests that wait for the object must be tried again now (engine/waiting).
struct Wake {
  enum class Lines : uint8_t { None, One, All };
  uint64_t mark = 0;  // requests whose mark is below this
  Lines lines = Lines::None;
  ByteView line = {};  // name of the line; borrowed from the object or the request

  static Wake everybody() { return {.mark = UINT64_MAX, .lines = Lines::All, .line = {}}; }
  static Wake one_line(ByteView line) { return {.mark = 0, .lines = Lines::One, .line = line}; }
  static Wake all_lines() { return {.mark = 0, .lines = Lines::All, .line = {}}; }
  bool is_nobody() const { return mark == 0 && lines == Lines::None; }
};

// What a request waits for after it found nothing.
struct Wait {
  // Requests in one line are served in the order of arrival, always the one at the front first. Borrowed from the
  // request. nullopt: it is in no line.
  std::optional<ByteView> line;
  // The request is not tried again before the object has reached this mark: an offset, for example.
  uint64_t mark = UINT64_MAX;
  // From that mark on, it is tried only for messages with one of these tags; empty: for any message. Borrowed from the
  // request.
  std::span<const ByteView> tags = {};
  // It does not wait for an event: it has used up its budget for one turn, and must be tried again soon.
  bool goes_on = false;
  // When its client was last shown to be alive, for families that need it: see WaitingLines::seen().
  std::optional<uint64_t> seen = std::nullopt;
};

// What the caller must do after an operation. All of it may be empty.
struct Consequences {
  Effects effects;
  Events events;  // empty: no change
  // Events with names in them ("route.connected d1|ws"), sent after the others. Null in most cases: none.
  std::unique_ptr<std::vector<std::string>> named_events;
  Wake wake;
  std::optional<Wait> wait;  // set if the request found nothing and may wait: see Call::may_wait
  // The latest time for the next call of look_after(), on the clock that the family uses.
  std::optional<UnixMs> due;
  std::optional<MonotonicMs> due_monotonic;
  // The new expiry time of the object in its place. nullopt: unchanged.
  std::optional<UnixMs> expires_at;
  // The operation has removed the object from its place. Replicas also remove it, after the effects; they do not decide
  // that by themselves.
  bool is_removed = false;

  // The request has changed the object, and a replica that repeats the request makes the same change.
  static Consequences of_request(const char* event) {
    Consequences follow;
    follow.effects.add_request();
    follow.events.add(event);
    return follow;
  }

  // True if there is nothing to do: the operation only read, or found nothing to change.
  bool empty() const {
    return effects.empty() && events.empty() && wake.is_nobody() && !due && !due_monotonic && !expires_at &&
           !is_removed && !wait;
  }

  void look_after_at(UnixMs date) {
    if (!due || date < *due) due = date;
  }
  void look_after_at(std::optional<UnixMs> date) {
    if (date) look_after_at(*date);
  }
  void look_after_at(MonotonicMs date) {
    if (!due_monotonic || date < *due_monotonic) due_monotonic = date;
  }
};

template <class Answer>
struct Outcome {
  // REQUIRES: not used if the request waits.
  Result<Answer> answer;
  Consequences consequences;

  // For an operation to fill in: a default answer and no consequences.
  Outcome() = default;
  Outcome(Answer given) : answer(std::move(given)) {}
  Outcome(std::unexpected<Error> error) : answer(std::move(error)) {}
  Outcome(Answer given, Consequences follow) : answer(std::move(given)), consequences(std::move(follow)) {}
  Outcome(Result<Answer> given, Consequences follow) : answer(std::move(given)), consequences(std::move(follow)) {}
};

// The answer of operations that return no value.
struct Done {};

}  // namespace millrace
