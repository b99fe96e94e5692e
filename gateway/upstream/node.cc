#include "gateway/upstream/node.h"

#include <algorithm>
#include <utility>

namespace millrace::gateway {
namespace {

constexpr Milliseconds kFirstPause{50};
constexpr Milliseconds kLongestPause{2000};
constexpr size_t kMostEarly = 10'000;
constexpr size_t kMostIdle = 64;

}  // namespace

Node::Node(EventLoop& loop, Background& background, client::ConnectionOptions server, std::function<void(Node&)> opened,
           std::function<void()> lost)
    : loop_(loop),
      background_(background),
      server_(std::move(server)),
      opened_(std::move(opened)),
      lost_(std::move(lost)) {
  open();
}

Node::~Node() {
  *is_alive_ = false;
  loop_.cancel(retry_);
}

// The answer comes in the loop's thread, and not at all if the node is gone by then.
void Node::connect(std::function<void(client::Result<client::Connection>)> done) {
  // A failure is also the answer to what waited for a thread meanwhile. Otherwise each connection to a server that
  // hangs would keep the threads from other servers for the time-out.
  background_.run([&loop = loop_, server = server_, alive = is_alive_, failures = failures_, seen = failures_->load(),
                   done = std::move(done)] {
    auto opened = std::make_shared<client::Result<client::Connection>>(client::Connection(server));
    if (*failures != seen) {
      *opened = client::fail(client::ErrorCode::Unreachable, server.to.text() + " cannot be reached");
    } else if (auto result = (*opened)->open(); !result) {
      ++*failures;
      *opened = std::unexpected(result.error());
    }
    loop.post([alive, opened, done] {
      if (*alive) done(std::move(*opened));
    });
  });
}

void Node::open() {
  connect([this](client::Result<client::Connection> opened) { take_opened(std::move(opened)); });
}

void Node::take_opened(client::Result<client::Connection> opened) {
  was_tried_ = true;
  std::vector<Early> early;
  early.swap(early_);
  if (!opened) {
    why_not_ = opened.error().text;
    for (const Early& one : early) one.done(std::unexpected(opened.error()));
    pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
    retry_ = loop_.after(pause_, [this] { open(); });
    return;
  }
  pause_ = Milliseconds(0);
  link_ = std::make_unique<Link>(loop_, std::move(*opened), [this](const client::Error& why) { lose(why); });
  opened_(*this);
  for (Early& one : early) link_->send(one.words, std::move(one.done));
}

// Called by the link itself, which therefore lives until the end of this turn.
void Node::lose(const client::Error& why) {
  why_not_ = why.text;
  loop_.later([link = std::shared_ptr<Link>(std::move(link_))] {});
  retry_ = loop_.after(kFirstPause, [this] { open(); });
  lost_();
}

void Node::send(const Words& words, Link::Done done) {
  if (link_) {
    link_->send(words, std::move(done));
  } else if (!was_tried_ && early_.size() < kMostEarly) {
    early_.push_back({words, std::move(done)});
  } else {
    done(client::fail(client::ErrorCode::Unreachable, why_not_));
  }
}

void Node::send_after(const Words& first, const Words& words, Link::Done done) {
  if (link_) link_->send(first, [](const Answer&) {});
  send(words, std::move(done));
}

void Node::take_link(Taken taken) {
  while (!idle_.empty()) {
    auto link = std::move(idle_.back());
    idle_.pop_back();
    // The server may have closed it meanwhile.
    if (link->is_broken()) continue;
    taken(std::move(link));
    return;
  }
  if (!link_ && was_tried_) {
    taken(client::fail(client::ErrorCode::Unreachable, why_not_));
    return;
  }
  connect([this, taken = std::move(taken)](client::Result<client::Connection> opened) {
    if (!opened) {
      taken(std::unexpected(opened.error()));
      return;
    }
    // Its end is noticed only while a command waits on it, or while it is idle.
    auto link = std::make_unique<Link>(loop_, std::move(*opened), [](const client::Error&) {});
    link->ask_number();
    taken(std::move(link));
  });
}

void Node::give_back(std::unique_ptr<Link> link) {
  if (link->is_broken() || link->is_hung_up() || link->in_flight() > 0) return;
  std::erase_if(idle_, [](const auto& one) { return one->is_broken(); });
  if (idle_.size() < kMostIdle) idle_.push_back(std::move(link));
}

void Node::close_silent(Milliseconds patience) {
  if (link_ && link_->in_flight() > 0 && loop_.now() - link_->oldest() > patience) {
    link_->break_off({client::ErrorCode::TimedOut, endpoint().text() + " did not answer in time"});
  }
}

void Node::reopen() {
  idle_.clear();
  if (link_) link_->break_off({client::ErrorCode::Closed, endpoint().text() + " is no longer the master"});
}

}  // namespace millrace::gateway
