#include "cli/demo/claim.h"

#include <unistd.h>

#include <algorithm>
#include <random>
#include <vector>

#include "cli/demo/names.h"

namespace millrace::cli::demo {
namespace {

using client::ErrorCode;
using client::Reply;
using client::Result;

constexpr const char* kClaimLease = "5000";
constexpr const char* kLongerThanClaim = "6000";
constexpr client::Milliseconds kPatience{15'000};

client::ConnectionOptions patient(client::ConnectionOptions server) {
  server.answer_timeout = kPatience;
  return server;
}

std::string unique_name() {
  return "millrace demo " + std::to_string(getpid()) + '-' + std::to_string(std::random_device{}());
}

}  // namespace

Claim::Claim(client::ConnectionOptions server)
    : server_(patient(std::move(server))), lock_(key(kRunning)), list_(key(kMade)), owner_(unique_name()) {}

// An error reply is an error here, because none of these commands expects one.
Result<Reply> Claim::ask(client::Words words) {
  auto reply = server_.call(words);
  if (!reply || !reply->is_error()) return reply;
  if (reply->text.starts_with("ERR unknown command")) {
    return client::fail(ErrorCode::BadInput, "the server has no Millrace module: " + reply->text);
  }
  // These errors pass by themselves, for example while the server loads its data.
  for (const std::string_view passing : {"LOADING", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "READONLY"}) {
    if (reply->is_error(passing)) return client::fail(ErrorCode::Unreachable, reply->text);
  }
  return client::fail(ErrorCode::BadInput, reply->text);
}

Result<void> Claim::take() {
  const auto reply = ask({"LOCK.ACQUIRE", lock_, owner_, kClaimLease, "WAIT", kLongerThanClaim});
  if (!reply) return std::unexpected(reply.error());
  if (reply->items.size() == 4 && reply->items[0].integer == 1) return {};
  return client::fail(ErrorCode::BadInput, "another demo runs on this server");
}

Result<void> Claim::list_keys() {
  const std::vector<std::string> keys = keys_of_demo();
  std::vector<std::string_view> words = {"SADD", list_};
  words.insert(words.end(), keys.begin(), keys.end());
  const auto reply = ask(words);
  if (!reply) return std::unexpected(reply.error());
  return {};
}

Result<void> Claim::refuse_strangers() {
  // Braces are not special in a pattern.
  const std::string pattern = std::string(kPrefix) + '*';
  const auto made = ask({"SMEMBERS", list_});
  if (!made) return std::unexpected(made.error());
  for (std::string cursor = "0";;) {
    const auto reply = ask({"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"});
    if (!reply) return std::unexpected(reply.error());
    if (reply->items.size() != 2) return client::fail(ErrorCode::Protocol, "SCAN was not answered");
    for (const Reply& found : reply->items[1].items) {
      if (found.text == lock_ || found.text == list_) continue;
      if (std::ranges::any_of(made->items, [&](const Reply& ours) { return ours.text == found.text; })) continue;
      return client::fail(
          ErrorCode::BadInput,
          "the key " + found.text + " has a name that the demo uses, and was not made by a demo: rename or delete it");
    }
    cursor = reply->items[0].text;
    if (cursor == "0") return {};
  }
}

Result<bool> Claim::renew() {
  const auto reply = ask({"LOCK.RENEW", lock_, owner_, kClaimLease});
  if (!reply) return std::unexpected(reply.error());
  if (reply->integer != 1) return false;
  const auto listed = ask({"EXISTS", list_});
  if (!listed) return std::unexpected(listed.error());
  return listed->integer == 1;
}

Result<size_t> Claim::remove_all() {
  const auto made = ask({"SMEMBERS", list_});
  if (!made) return std::unexpected(made.error());
  if (made->items.empty()) return 0;
  std::vector<std::string_view> words = {"UNLINK", list_};
  for (const Reply& one : made->items) words.push_back(one.text);
  const auto removed = ask(words);
  if (!removed) return std::unexpected(removed.error());
  return static_cast<size_t>(removed->integer - 1);
}

void Claim::release() {
  // Each take() adds one hold, so the lock is released once for each.
  for (auto left = ask({"LOCK.RELEASE", lock_, owner_}); left && left->integer > 0;) {
    left = ask({"LOCK.RELEASE", lock_, owner_});
  }
}

}  // namespace millrace::cli::demo
