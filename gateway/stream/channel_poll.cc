#include "gateway/stream/channel_poll.h"

#include <utility>

#include "gateway/stream/reading.h"

namespace millrace::gateway {

ChannelPoll::ChannelPoll(EventLoop& loop, Upstream& upstream, Topics& topics, Words fetch, Milliseconds wait)
    : loop_(loop),
      upstream_(upstream),
      topics_(topics),
      words_(std::move(fetch)),
      key_{TopicKey::Kind::Channel, words_[1]},
      wait_(wait) {}

void ChannelPoll::start(Done done) {
  done_ = std::move(done);
  deadline_ = loop_.after(wait_, [self = shared_from_this()] {
    self->is_late_ = true;
    self->fetch();
  });
  join();
}

// First gets the position of the channel, then fetches: so a publication in between is noticed.
Detached ChannelPoll::join() {
  const auto self = shared_from_this();
  const auto now = co_await find_start(upstream_, key_, "$");
  if (!done_) co_return;
  if (!now) {
    end(std::unexpected(now.error()));
  } else {
    topic_ = &topics_.at(key_);
    topic_->join(self, *now);
    fetch();
  }
}

void ChannelPoll::fetch() {
  must_fetch_ = true;
  if (!is_fetching_ && done_) fetch_all();
}

Detached ChannelPoll::fetch_all() {
  const auto self = shared_from_this();
  is_fetching_ = true;
  while (done_ && std::exchange(must_fetch_, false)) {
    const bool is_last = is_late_;
    Words words = words_;
    const Answer answer = co_await upstream_.ask(std::move(words));
    const bool is_empty = answer && answer->items.size() == 3 && answer->items[0].items.empty();
    if (!is_empty || is_last) end(answer);
  }
  is_fetching_ = false;
}

void ChannelPoll::fail(const std::string& why) { end(client::fail(client::ErrorCode::BadInput, why)); }

void ChannelPoll::cancel() {
  end(client::fail(client::ErrorCode::Closed, "the client no longer waits for the answer"));
}

void ChannelPoll::end(Answer answer) {
  const auto self = shared_from_this();
  const auto done = std::exchange(done_, nullptr);
  if (!done) return;
  loop_.cancel(deadline_);
  if (topic_ != nullptr) {
    topic_->leave(*this);
    topics_.release(key_);
  }
  done(std::move(answer));
}

}  // namespace millrace::gateway
