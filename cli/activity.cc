#include "cli/activity.h"

#include <algorithm>
#include <utility>

#include "client/copy/key_size.h"

namespace millrace::cli {
namespace {

using client::Reply;
using client::Result;

constexpr unsigned kFindEvery = 10;

int64_t figure(const Reply& map, std::string_view name) {
  const Reply* value = client::field_in(map, name);
  return value == nullptr ? 0 : value->integer;
}

std::string kind_of_activity(const std::string& type) {
  if (type == "millr-log") return "log";
  if (type == "millr-chn") return "channel";
  return type == "millr-shd" ? "pool" : "";
}

}  // namespace

ActivityWatch::ActivityWatch(const client::ConnectionOptions& server, std::vector<std::string> patterns)
    : options_(server), patterns_(std::move(patterns)), server_(server) {}

Result<std::vector<Activity>> ActivityWatch::look() {
  if (looks_++ % kFindEvery == 0) {
    if (auto found = find_keys(); !found) return std::unexpected(found.error());
  }
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  std::vector<Activity> all;
  std::map<std::string, uint64_t> written;
  for (const auto& [key, kind] : keys_) {
    Activity one{.key = key, .kind = kind};
    auto looked = kind == "log" ? look_at_log(one) : kind == "channel" ? look_at_channel(one) : look_at_pool(one);
    // A key that was deleted, or created again with another type, is updated the next time.
    if (!looked && looked.error().code == client::ErrorCode::BadInput) continue;
    if (!looked) return std::unexpected(looked.error());
    const auto before = before_.find(key);
    if (before != before_.end() && one.written > before->second) {
      one.rate = static_cast<double>(one.written - before->second) / seconds;
    }
    written[key] = one.written;
    all.push_back(std::move(one));
  }
  before_ = std::move(written);
  return all;
}

Result<void> ActivityWatch::find_keys() {
  keys_.clear();
  has_more_ = false;
  return client::KeyWalk(options_).each(patterns_, [this](const client::FoundKey& key) -> Result<void> {
    const std::string kind = kind_of_activity(key.type);
    if (kind.empty()) return {};
    if (keys_.size() < kMostKeys) {
      keys_[key.name] = kind;
    } else {
      has_more_ = has_more_ || !keys_.contains(key.name);
    }
    return {};
  });
}

Result<Reply> ActivityWatch::ask(std::initializer_list<std::string_view> words) {
  auto reply = server_.call(words);
  if (reply && reply->is_error()) return client::fail(client::ErrorCode::BadInput, reply->text);
  return reply;
}

Result<void> ActivityWatch::look_at_log(Activity& log) {
  const auto info = ask({"TINFO", log.key});
  if (!info) return std::unexpected(info.error());
  const auto groups = ask({"TGROUP", "LIST", log.key});
  if (!groups) return std::unexpected(groups.error());
  log.messages = figure(*info, "messages");
  log.written = static_cast<uint64_t>(figure(*info, "last"));
  for (const Reply& group : groups->items) {
    log.lag = std::max(log.lag, figure(group, "lag"));
    log.pending += figure(group, "pending");
  }
  return {};
}

Result<void> ActivityWatch::look_at_channel(Activity& channel) {
  const auto info = ask({"CHAN.INFO", channel.key});
  if (!info) return std::unexpected(info.error());
  channel.messages = figure(*info, "messages");
  channel.written = static_cast<uint64_t>(std::max<int64_t>(figure(*info, "clock"), 0));
  channel.waiting = figure(*info, "waiting");
  return {};
}

Result<void> ActivityWatch::look_at_pool(Activity& pool) {
  const auto info = ask({"SHARD.INFO", pool.key, "COUNT", "1"});
  if (!info) return std::unexpected(info.error());
  pool.messages = pool.pending = figure(*info, "pending");
  pool.waiting = figure(*info, "waiting");
  return {};
}

}  // namespace millrace::cli
