#include "gateway/deliver/deliverer.h"

#include <openssl/rand.h>

#include <algorithm>
#include <csignal>
#include <thread>
#include <utility>

#include "client/server_url.h"
#include "gateway/deliver/channel_source.h"
#include "gateway/deliver/hook_signature.h"
#include "gateway/deliver/log_source.h"

namespace millrace::gateway {
namespace {

// Names that receivers have are looked up by other threads than those that connect to the server.
constexpr unsigned kLookUpThreads = 4;
constexpr unsigned kConnectThreads = 2;
constexpr Milliseconds kLook{20};
constexpr Milliseconds kFarewell{100};
constexpr Milliseconds kDrainTime{20'000};
constexpr size_t kMostWaitingReads = 10'000;

std::string unique_owner() {
  unsigned char random[12] = {};
  RAND_bytes(random, sizeof random);
  return hook_id({{reinterpret_cast<const char*>(random), sizeof random}}).replace(0, 4, "deliver-");
}

client::Result<std::vector<std::string>> secrets_of(const WebhookRule& rule) {
  if (rule.secret.empty()) return {};
  auto secrets = load_hook_secrets(rule.secret);
  if (!secrets && !rule.where.empty()) secrets.error().text = rule.where + ": " + secrets.error().text;
  return secrets;
}

}  // namespace

struct Deliverer::Webhook {
  WebhookRule rule;
  std::unique_ptr<Courier> courier = {};
  std::unique_ptr<HookSource> source = {};
};

Deliverer::Deliverer(const client::ConnectionOptions& server, std::function<void(const std::string&)> tell)
    : tell_(std::move(tell)),
      background_(std::make_unique<Background>(kConnectThreads)),
      look_ups_(std::make_unique<Background>(kLookUpThreads)),
      upstream_(loop_, *background_, {.server = server, .most_waiting = kMostWaitingReads}),
      client_(loop_, *look_ups_) {}

Deliverer::~Deliverer() {
  background_.reset();
  look_ups_.reset();
}

client::Result<std::unique_ptr<Deliverer>> Deliverer::make(const std::vector<WebhookRule>& rules,
                                                           const client::ConnectionOptions& server,
                                                           std::function<void(const std::string&)> tell) {
  std::vector<std::vector<std::string>> secrets;
  for (const WebhookRule& rule : rules) {
    auto loaded = secrets_of(rule);
    if (!loaded) return std::unexpected(loaded.error());
    secrets.push_back(std::move(*loaded));
  }
  std::unique_ptr<Deliverer> deliverer(new Deliverer(server, std::move(tell)));
  for (size_t i = 0; i < rules.size(); ++i) deliverer->add(rules[i], std::move(secrets[i]));
  return deliverer;
}

void Deliverer::add(const WebhookRule& rule, std::vector<std::string> secrets) {
  webhooks_.push_back(std::make_unique<Webhook>(Webhook{.rule = rule}));
  Webhook& webhook = *webhooks_.back();
  HookFigures& figures = figures_.emplace_back();
  figures.name = rule.name();
  webhook.courier = std::make_unique<Courier>(loop_, client_, webhook.rule, std::move(secrets), figures, tell_);
  if (rule.is_channel()) {
    webhook.source =
        std::make_unique<ChannelSource>(loop_, upstream_, webhook.rule, *webhook.courier, unique_owner(), tell_);
  } else {
    webhook.source =
        std::make_unique<LogSource>(loop_, upstream_, webhook.rule, *webhook.courier, unique_owner(), tell_);
  }
  webhook.courier->use(*webhook.source);
  loop_.post([&source = *webhook.source] { source.start(); });
}

void Deliverer::drain(Milliseconds time) {
  loop_.post([this, time] {
    for (const auto& webhook : webhooks_) {
      webhook->courier->stop();
      webhook->source->stop();
    }
    loop_.after(time, [this] { loop_.stop(); });
    end_if_idle();
  });
}

void Deliverer::end_if_idle() {
  const bool is_idle = std::ranges::all_of(
      webhooks_, [](const auto& webhook) { return webhook->courier->is_idle() && webhook->source->is_settled(); });
  if (!is_idle) {
    loop_.after(kLook, [this] { end_if_idle(); });
    return;
  }
  for (const auto& webhook : webhooks_) webhook->source->leave();
  loop_.after(kFarewell, [this] { loop_.stop(); });
}

client::Result<void> check_webhooks(const std::vector<WebhookRule>& rules) {
  for (const WebhookRule& rule : rules) {
    if (auto loaded = secrets_of(rule); !loaded) return std::unexpected(loaded.error());
  }
  return {};
}

client::Result<void> deliver(const std::vector<WebhookRule>& rules, const client::ConnectionOptions& server,
                             const std::function<void(const std::string&)>& tell) {
  // Blocked before any thread begins, so that they come to this one.
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  auto deliverer = Deliverer::make(rules, server, tell);
  if (!deliverer) return std::unexpected(deliverer.error());
  for (const WebhookRule& rule : rules) {
    tell("delivers " + rule.name() + " of " + client::name_of_server(server) + " to " +
         (rule.url.empty() ? "the URL in '" + rule.url_field + "'" : rule.url));
  }
  const pthread_t waiting = pthread_self();
  std::thread loop([&] {
    (*deliverer)->run();
    pthread_kill(waiting, SIGINT);
  });
  int number = 0;
  sigwait(&signals, &number);
  tell("ends: requests under way come to their end");
  (*deliverer)->drain(kDrainTime);
  sigwait(&signals, &number);
  (*deliverer)->stop();
  loop.join();
  return {};
}

}  // namespace millrace::gateway
