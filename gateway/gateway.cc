#include "gateway/gateway.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "client/server_url.h"
#include "gateway/deliver/deliverer.h"
#include "gateway/routes/console_files.h"
#include "gateway/worker.h"

namespace millrace::gateway {
namespace {

constexpr unsigned kBackgroundThreads = 4;
constexpr uint16_t kUsualPort = 8380;

using Tell = std::function<void(const std::string&)>;

// Allows as many connections as the system permits.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::string host_name() {
  char name[256] = "gateway";
  gethostname(name, sizeof name - 1);
  return name;
}

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  return set;
}

client::Result<std::vector<client::Endpoint>> listen_addresses(const Config& config) {
  std::vector<client::Endpoint> addresses;
  for (const std::string& text : config.listen) {
    // With port 0 the system chooses a port.
    if (text.ends_with(":0")) {
      auto endpoint = client::parse_endpoint(text.substr(0, text.size() - 2) + ":1");
      if (!endpoint) return std::unexpected(endpoint.error());
      endpoint->port = 0;
      addresses.push_back(*endpoint);
      continue;
    }
    auto endpoint = client::parse_endpoint(text, kUsualPort);
    if (!endpoint) return std::unexpected(endpoint.error());
    addresses.push_back(*endpoint);
  }
  return addresses;
}

// An empty context if no certificate is configured.
client::Result<TlsContext> load_certificate(const Config& config) {
  if (config.tls_certificate.empty()) return TlsContext();
  return load_tls_context(config.tls_certificate, config.tls_key.empty() ? config.tls_certificate : config.tls_key);
}

void tell_addresses(const Config& config, const client::ConnectionOptions& server,
                    const std::vector<client::Endpoint>& addresses, const Tell& tell) {
  const std::string scheme = config.tls_certificate.empty() ? "http://" : "https://";
  for (const client::Endpoint& address : addresses) {
    tell("listens at " + scheme + address.text() + ", in front of " + client::name_of_server(server));
  }
  tell(!config.allow.empty()  ? "who may come in: whom the rules of the configuration allow"
       : !config.keys.empty() ? "who may come in: everybody with a token"
                              : "who may come in: clients of this machine");
  const std::string address = scheme + addresses.front().text();
  tell(console_files().empty() ? "there is no console: node and npm were missing when this program was built"
                               : "the console is at " + address + "/console/");
  tell("try: curl -d '{\"id\":17}' " + address + "/v1/logs/orders && curl '" + address + "/v1/logs/orders?from=1'");
}

}  // namespace

client::Result<void> check(const Config& config) {
  if (auto addresses = listen_addresses(config); !addresses) return std::unexpected(addresses.error());
  if (auto authority = Authority::make(config); !authority) return std::unexpected(authority.error());
  if (config.keep_alive <= Milliseconds(0)) {
    return client::fail(client::ErrorCode::BadInput, "timeouts.keep_alive must be longer than 0");
  }
  if (config.credentials && std::ranges::find(config.origins, "*") != config.origins.end()) {
    return client::fail(client::ErrorCode::BadInput,
                        "cors.credentials with cors.origins \"*\" would give every page the cookies of its visitors");
  }
  if (auto webhooks = check_webhooks(config.webhooks); !webhooks) return webhooks;
  if (auto certificate = load_certificate(config); !certificate) return std::unexpected(certificate.error());
  return {};
}

client::Result<void> serve(const Config& given, const client::ConnectionOptions& server, const Tell& tell) {
  Config config = given;
  raise_descriptor_limit();
  auto addresses = listen_addresses(config);
  if (!addresses) return std::unexpected(addresses.error());
  auto authority = Authority::make(config);
  if (!authority) return std::unexpected(authority.error());
  const auto certificate = load_certificate(config);
  if (!certificate) return std::unexpected(certificate.error());

  // Signals are blocked before any other thread starts, so that only this thread receives them.
  const sigset_t signals = handled_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  Figures figures;
  figures.writes_access_log = config.access_log != "off";
  const unsigned long count = config.threads != 0 ? config.threads : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::unique_ptr<Worker>> workers;
  auto background = std::make_unique<Background>(kBackgroundThreads);
  std::unique_ptr<Deliverer> deliverer;
  if (!config.webhooks.empty()) {
    auto made = Deliverer::make(config.webhooks, server, tell);
    if (!made) return std::unexpected(made.error());
    deliverer = std::move(*made);
    figures.webhooks = &deliverer->figures();
  }
  RequestRate rate(config.requests_per_second, config.connections_per_address);
  Board board;
  Shared shared{config, server, *background, figures, *authority, rate, board};
  for (unsigned long i = 0; i < count; ++i) {
    workers.push_back(std::make_unique<Worker>(shared, *certificate));
    auto found = workers.back()->listen(*addresses, i == 0);
    if (!found) {
      background.reset();
      return std::unexpected(found.error());
    }
    *addresses = *found;  // the others listen at the same ports
  }
  if (config.name.empty()) config.name = host_name() + ':' + std::to_string(addresses->front().port);
  for (size_t i = 0; i < addresses->size() && i < config.listen.size(); ++i) config.listen[i] = (*addresses)[i].text();
  for (const auto& worker : workers) shared.loops.push_back(worker.get());
  workers.front()->watch_server();
  tell_addresses(config, server, *addresses, tell);

  std::vector<std::thread> threads;
  std::atomic<size_t> running = workers.size();
  const pthread_t waiting = pthread_self();
  for (const auto& worker : workers) {
    threads.emplace_back([&worker = *worker, &running, waiting] {
      worker.run();
      // Any of the handled signals will do: it only ends the wait.
      if (--running == 0) pthread_kill(waiting, SIGINT);
    });
  }
  if (deliverer) threads.emplace_back([&deliverer = *deliverer] { deliverer.run(); });
  bool is_draining = false;
  while (running != 0) {
    int number = 0;
    sigwait(&signals, &number);
    if (running == 0) break;
    if (number == SIGHUP) {
      const auto loaded = load_certificate(config);
      for (const auto& worker : workers) {
        if (loaded) worker->use_certificate(*loaded);
      }
      tell(loaded ? "loaded the certificate again" : loaded.error().text + "; the old one stays");
    } else if (!is_draining) {
      is_draining = true;
      tell("ends: no more clients, and those that wait are told to come again");
      for (const auto& worker : workers) worker->drain();
      if (deliverer) deliverer->drain(config.drain);
    } else {
      for (const auto& worker : workers) worker->stop();
      if (deliverer) deliverer->stop();
    }
  }
  for (std::thread& thread : threads) thread.join();
  background.reset();
  return {};
}

}  // namespace millrace::gateway
