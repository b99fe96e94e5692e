#include "gateway/deliver/hook_client.h"

#include <netdb.h>

#include <atomic>
#include <cstring>
#include <utility>

namespace millrace::gateway {
namespace {

constexpr size_t kMostIdleConnections = 32;  // to one receiver
constexpr size_t kMostReceivers = 256;       // with idle connections

struct LookedUp {
  std::vector<SocketAddress> addresses;
  std::string problem;
};

// In a background thread: names may take seconds.
LookedUp addresses_of(const HookUrl& url) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int problem = getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &found);
  if (problem != 0) return {.addresses = {}, .problem = gai_strerror(problem)};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  LookedUp result;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    SocketAddress address{.storage = {}, .size = one->ai_addrlen};
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
    result.addresses.push_back(address);
  }
  return result;
}

}  // namespace

// One request on its way.
struct HookClient::Sending {
  HookTarget target;
  std::string request;
  std::function<void(HookOutcome)> done;
  EventLoop::Timer timer = {};
  std::unique_ptr<HookConnection> connection = {};
  std::atomic<bool> is_over = false;  // read by the thread that looks the name up, too

  Place place() const { return {target.url.is_tls, target.url.host, target.url.port, target.ca, target.allow_private}; }
};

HookClient::~HookClient() { *is_alive_ = false; }

void HookClient::send(const HookTarget& target, std::string request, Milliseconds timeout,
                      std::function<void(HookOutcome)> done) {
  auto sending = std::make_shared<Sending>(target, std::move(request), std::move(done));
  sending->timer = loop_.after(timeout, [this, sending] {
    sending->timer = {};
    end(sending, {.why = "it took too long"}, false);
  });
  auto& idle = idle_[sending->place()];
  while (!idle.empty()) {
    auto connection = std::move(idle.back());
    idle.pop_back();
    if (!connection->is_broken()) return begin(sending, std::move(connection), true);
  }
  look_up(sending);
}

void HookClient::look_up(const SendingPtr& sending) {
  background_.run([this, &loop = loop_, alive = is_alive_, url = sending->target.url, sending] {
    if (sending->is_over) return;
    LookedUp found = addresses_of(url);
    loop.post([this, alive, sending, found = std::move(found)] {
      if (*alive && !sending->is_over) connect(sending, found.addresses, found.problem);
    });
  });
}

void HookClient::connect(const SendingPtr& sending, const std::vector<SocketAddress>& addresses,
                         const std::string& problem) {
  if (!problem.empty()) return end(sending, {.why = "cannot find " + sending->target.url.host + ": " + problem}, false);
  std::vector<SocketAddress> allowed;
  for (const SocketAddress& address : addresses) {
    // Connects to the checked address itself, so that the name cannot resolve to another one afterwards.
    if (sending->target.allow_private || is_public(reinterpret_cast<const sockaddr&>(address.storage))) {
      allowed.push_back(address);
    }
  }
  if (allowed.empty()) {
    return end(sending, {.why = "the address of " + sending->target.url.host + " is private", .is_private = true},
               false);
  }
  client::TlsOptions tls{.is_on = sending->target.url.is_tls, .ca_file = sending->target.ca};
  begin(sending, std::make_unique<HookConnection>(loop_, std::move(allowed), std::move(tls), sending->target.url.host),
        false);
}

void HookClient::begin(const SendingPtr& sending, std::unique_ptr<HookConnection> connection, bool is_used) {
  sending->connection = std::move(connection);
  sending->connection->send(
      sending->request, [this, sending, is_used](HookOutcome outcome, bool keeps_alive, bool untouched) {
        if (sending->is_over) return;
        // A receiver may close an idle connection just when we use it again.
        if (is_used && untouched) {
          auto old = std::make_shared<std::unique_ptr<HookConnection>>(std::move(sending->connection));
          loop_.later([old] {});
          return look_up(sending);
        }
        end(sending, std::move(outcome), keeps_alive);
      });
}

void HookClient::end(const SendingPtr& sending, HookOutcome outcome, bool keeps_alive) {
  if (sending->is_over.exchange(true)) return;
  loop_.cancel(sending->timer);
  // Later: the connection itself may have called us.
  loop_.later([this, alive = is_alive_, sending, keeps_alive, outcome = std::move(outcome)]() mutable {
    if (!*alive) return;
    auto connection = std::move(sending->connection);
    if (idle_.size() > kMostReceivers) idle_.clear();
    auto& idle = idle_[sending->place()];
    if (keeps_alive && connection && !connection->is_broken() && idle.size() < kMostIdleConnections) {
      idle.push_back(std::move(connection));
    } else {
      connection.reset();
      if (idle.empty()) idle_.erase(sending->place());
    }
    const auto done = std::move(sending->done);
    done(std::move(outcome));
  });
}

}  // namespace millrace::gateway
