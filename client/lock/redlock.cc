#include "client/lock/redlock.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <random>

namespace millrace::client {
namespace {

using Clock = std::chrono::steady_clock;

// Short compared with the lease: a round without any answer takes at most a tenth of it.
Milliseconds patience_for(Milliseconds ttl) { return std::clamp(ttl / 10, Milliseconds(1), Milliseconds(1000)); }

// A name that no other client has. It begins with the host and process, for people who read LOCK.INFO.
std::string unique_owner() {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  std::string owner = std::string(host) + ':' + std::to_string(getpid()) + ':';
  std::random_device random;
  for (int i = 0; i < 2; ++i) {
    for (uint32_t left = random(), digit = 0; digit < 8; ++digit, left >>= 4) owner += "0123456789abcdef"[left & 15];
  }
  return owner;
}

// Clients that try again at the same moment fail together.
Milliseconds random_pause() {
  static std::minstd_rand random(std::random_device{}());
  return Milliseconds(std::uniform_int_distribution<int>(10, 60)(random));
}

// False if `stop` is readable before the time is over.
bool sleep_through(Milliseconds time, int stop) {
  pollfd watched{stop, POLLIN, 0};
  poll(&watched, 1, static_cast<int>(time.count()));
  return watched.revents == 0;
}

// The last error among the answers; they have one.
Error trouble_in(const Answers<LockServer::Answer>& answers) {
  Error trouble{};
  for (const auto& answer : answers) {
    if (answer && !*answer) trouble = answer->error();
  }
  return trouble;
}

size_t count_answered(const Answers<LockServer::Answer>& answers) {
  return static_cast<size_t>(std::ranges::count_if(answers, [](const auto& answer) { return answer && *answer; }));
}

bool is_granted(const std::optional<Result<LockServer::Answer>>& answer) {
  return answer && *answer && (*answer)->granted;
}

// Whether the server at `i` is one that stands earlier in the list, under another name.
bool is_repeated(const Answers<LockServer::Answer>& answers, size_t i) {
  const std::string& server = (*answers[i])->server;
  if (server.empty()) return false;
  return std::any_of(answers.begin(), answers.begin() + static_cast<ptrdiff_t>(i),
                     [&](const auto& earlier) { return earlier && *earlier && (*earlier)->server == server; });
}

}  // namespace

Redlock::Redlock(std::vector<ConnectionOptions> servers, std::string key, RedlockOptions options)
    : name_{.key = std::move(key), .owner = unique_owner(), .mode = options.mode},
      ttl_(options.ttl),
      patience_(options.patience.value_or(patience_for(options.ttl))),
      needed_(quorum_of(servers.size(), options.mode.permits)) {
  for (ConnectionOptions& server : servers) {
    server.connect_timeout = server.answer_timeout = patience_;
    threads_.push_back(std::make_unique<ServerThread>(LockServer(std::move(server), patience_, servers.size() > 1)));
    servers_.push_back(threads_.back().get());
  }
}

std::optional<HeldLock> Redlock::held_by(const Quorum& quorum) const {
  if (!quorum.is_held(Clock::now())) return std::nullopt;
  return HeldLock{.valid_until = quorum.valid_until(), .token = token_, .servers = quorum.grants()};
}

Quorum Redlock::count(const Answers<Answer>& answers, Moment started) const {
  Quorum quorum(servers_.size(), needed_, ttl_, started);
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i] || !*answers[i] || is_repeated(answers, i)) continue;
    const Answer& answer = **answers[i];
    answer.granted ? quorum.granted(answer.token) : quorum.refused();
  }
  return quorum;
}

template <class Question>
Answers<LockServer::Answer> Redlock::ask_all_servers(Question question, Moment started, Milliseconds grace) const {
  const auto is_enough = [this, started](const Answers<Answer>& answers) {
    const Quorum quorum = count(answers, started);
    return quorum.is_reached() || quorum.is_hopeless();
  };
  return ask_all<Answer>(servers_, question, is_enough, started + patience_, grace);
}

// The five steps: read the time; ask all servers at the same time; count the majority; compute the time for which the
// lock is valid; and release everything if that is not enough.
Result<std::optional<HeldLock>> Redlock::try_once() {
  const Moment started = Clock::now();
  const auto answers =
      ask_all_servers([name = name_, ttl = ttl_](LockServer& server) { return server.acquire(name, ttl); }, started,
                      // If there are more answers than needed, a clock that is ahead does not decide the token.
                      patience_ / 8);
  const Quorum quorum = count(answers, started);
  Servers granted;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (answers[i] && *answers[i] && is_repeated(answers, i)) {
      release();
      return fail(ErrorCode::BadInput, servers_[i]->name() + " is a server that is named twice");
    }
    if (is_granted(answers[i])) granted.push_back(servers_[i]);
  }
  token_ = quorum.token();
  const Result<bool> agreed = token_ ? agree_on_token(granted) : true;
  if (agreed.value_or(false)) {
    if (const auto held = held_by(quorum)) return held;
  }
  release();
  if (!agreed) return std::unexpected(agreed.error());
  const bool is_told = quorum.is_hopeless() || count_answered(answers) >= needed_;
  if (!is_told) return std::unexpected(trouble_in(answers));
  return std::nullopt;
}

// Two majorities have a server in common. Once a majority has heard of this token, the next
// holder gets a greater one from that server, whatever the clocks of the others say.
Result<bool> Redlock::agree_on_token(const Servers& granted) {
  const auto count_agreeing = [](const Answers<Answer>& answers) {
    return static_cast<size_t>(std::ranges::count_if(answers, is_granted));
  };
  const auto answers = ask_all<Answer>(
      granted,
      [name = name_, ttl = ttl_, token = token_](LockServer& server) { return server.renew(name, ttl, token); },
      [&](const Answers<Answer>& so_far) { return count_agreeing(so_far) >= needed_; }, Clock::now() + patience_);
  if (count_agreeing(answers) >= needed_) return true;
  const bool is_trouble = std::ranges::any_of(answers, [](const auto& answer) { return answer && !*answer; });
  if (is_trouble) return std::unexpected(trouble_in(answers));
  return false;
}

// The answer does not say when the grant was made. The renewal solves this: it begins a new lease, and not before it
// was sent.
Result<std::optional<HeldLock>> Redlock::wait_in_line(Moment deadline, int stop) {
  while (true) {
    const auto answers = ask_all<std::optional<Answer>>(
        servers_,
        [name = name_, ttl = ttl_, deadline, stop](LockServer& server) {
          return server.acquire_in_line(name, ttl, deadline, stop);
        },
        [](const auto&) { return false; },
        std::max(deadline, Clock::now()) + LockServer::kPatienceBehindWait + patience_);
    const Result<std::optional<Answer>>& answer = *answers.front();
    has_line_ = answer && *answer;
    if (answer && !*answer) return try_once();
    if (answer && !(*answer)->granted) return std::nullopt;
    if (!answer) {
      release();
      return std::unexpected(answer.error());
    }
    token_ = (*answer)->token;
    auto held = renew();
    if (held && *held) return held;
    release();
    // The connection broke, or the lease was over before we read the grant: wait in the line again.
    if (!held || Clock::now() >= deadline) return held;
  }
}

Result<std::optional<HeldLock>> Redlock::acquire(Milliseconds wait, int stop) {
  const Moment deadline = Clock::now() + wait;
  const bool may_have_line = servers_.size() == 1 && wait > Milliseconds(0);
  while (true) {
    auto tried = may_have_line ? wait_in_line(deadline, stop) : try_once();
    if (tried && *tried) return tried;
    // A client that times out in the line has waited for as long as was asked for.
    if (tried && may_have_line && has_line_) return tried;
    // A wrong request will not succeed later.
    if (!tried && tried.error().code == ErrorCode::BadInput) return tried;
    const auto left = std::chrono::ceil<Milliseconds>(deadline - Clock::now());
    if (left <= Milliseconds(0) || !sleep_through(std::min(left, random_pause()), stop)) return tried;
  }
}

Result<std::optional<HeldLock>> Redlock::renew() {
  const Moment started = Clock::now();
  const auto answers = ask_all_servers(
      [name = name_, ttl = ttl_, token = token_](LockServer& server) { return server.renew(name, ttl, token); },
      started, Milliseconds(0));
  const Quorum quorum = count(answers, started);
  const auto held = held_by(quorum);
  for (size_t i = 0; held && i < answers.size(); ++i) {
    // A server that was restarted empty can help again next time.
    if (!answers[i] || !*answers[i] || (*answers[i])->granted) continue;
    servers_[i]->ask([name = name_, ttl = ttl_](LockServer& server) {
      static_cast<void>(server.acquire(name, ttl));
      return nullptr;
    });
  }
  const bool is_unknown = !quorum.is_reached() && !quorum.is_hopeless();
  if (!held && is_unknown) return std::unexpected(trouble_in(answers));
  return held;
}

void Redlock::release() {
  const auto question = [name = name_](LockServer& server) { return server.release(name); };
  // A server that has not answered yet gets the release after its answer; the others are waited for.
  Servers ready;
  for (ServerThread* server : servers_) {
    if (!server->is_busy()) {
      ready.push_back(server);
    } else {
      server->ask([question](LockServer& busy) {
        static_cast<void>(question(busy));
        return nullptr;
      });
    }
  }
  static_cast<void>(ask_all<Answer>(
      ready, question, [](const auto&) { return false; }, Clock::now() + patience_));
}

}  // namespace millrace::client
