#include "gateway/admin/monitor.h"

#include <algorithm>

#include "gateway/admin/console_state.h"
#include "gateway/admin/key_pages.h"
#include "gateway/admin/needs.h"
#include "gateway/admin/reply_json.h"
#include "gateway/routes/figures.h"

namespace millrace::gateway {
namespace {

using client::Reply;

constexpr int64_t kAskedMs = 600'000;  // sweeps continue for this long after the last request of a console
constexpr int64_t kPageKeys = 1000;
// The pause between two pages: kShare times as long as the page took, at least kLeastPauseMs.
constexpr int64_t kShare = 4;
constexpr int64_t kLeastPauseMs = 5;
constexpr int64_t kLeastRestMs = 2000;  // between two sweeps
// How often the first sweep shows what it has found so far, and how soon it begins again while names are missing.
constexpr int64_t kShowMs = 1000;
constexpr size_t kMostRanked = 1000;
constexpr size_t kMostDead = 1000;       // logs of dead letters that are counted
constexpr size_t kMostCollected = 1000;  // needs, before they are sorted
constexpr size_t kMostExplained = 20;    // stuck groups for which the worker is asked for

int64_t sum_of(const InfoText& info, std::initializer_list<const char*> names) {
  int64_t sum = 0;
  for (const char* const name : names) sum += info.number(std::string("millrace_") + name);
  return sum;
}

// Waits, and keeps only the timer alive meanwhile.
auto pause(EventLoop& loop, int64_t ms) {
  return told<bool>([&loop, ms](std::function<void(bool)> done) {
    loop.after(Milliseconds(ms), [done = std::move(done)] { done(true); });
  });
}

void take_key(SweepResult& result, const Reply& key) {
  const std::string& type = key.items[1].text;
  const Reply& figures = key.items[4];
  ++result.totals.keys;
  const bool is_behind = type == "log" || type == "pool";
  const int64_t lag = type == "log" ? number_in(figures, "lag") : 0;
  const int64_t pending = is_behind ? number_in(figures, "pending") : 0;
  result.totals.lag += lag;
  result.totals.pending += pending;
  if (type == "log") result.totals.scheduled += number_in(figures, "scheduled");
  if (key.items[0].text.size() > kLongestName) return;
  if (result.needs.size() < kMostCollected) judge_key(result.needs, key);
  const Reply* const dead = find_field(figures, "dead-letters");
  for (size_t i = 0; dead != nullptr && i + 1 < dead->items.size(); i += 2) {
    const std::string& to = dead->items[i + 1].text;
    if (result.dead_letters.size() >= kMostDead && !result.dead_letters.contains(to)) continue;
    auto& groups = result.dead_letters[to];
    if (groups.size() < 100) groups.emplace_back(key.items[0].text, dead->items[i].text);
  }
  // Of a million keys only a few are among the greatest: only these are converted.
  const auto keep = [&](std::vector<RankedKey>& keys, int64_t rank) {
    if (!is_among_greatest(keys, rank, kMostRanked)) return;
    RankedKey ranked{.rank = rank, .type = type, .key = key.items[0].text};
    append_key(ranked.json, key, std::nullopt, false);
    keep_greatest(keys, std::move(ranked), kMostRanked);
  };
  keep(result.largest, key.items[2].integer);
  keep(result.behind, type == "channel" ? number_in(figures, "behind") : lag + pending);
}

// The result of the sweep. Until the first sweep has ended, what it has found so far is shown.
void show(Board& board, const KeyPage& page, const SweepResult& result, int64_t& shown) {
  const std::lock_guard lock(board.mutex);
  board.swept = result.totals.keys;
  board.counts = page.counts;
  board.names_done = page.done;
  board.names_of = page.of;
  if (board.sweep.ended != 0 || steady_ms() - shown < kShowMs) return;
  shown = steady_ms();
  board.sweep = result;
}

}  // namespace

Monitor::Monitor(Services& services) : services_(services) {
  sample_timer_ = services_.loop.after(Milliseconds(0), [this] { sample(); });
  sweep_later(Milliseconds(100));
}

Monitor::~Monitor() { *is_alive_ = false; }

bool Monitor::is_asked() const { return steady_ms() - services_.console.board.asked < kAskedMs; }

void Monitor::sweep_later(Milliseconds time) {
  sweep_timer_ = services_.loop.after(time, [this] { sweep(); });
}

Detached Monitor::sample() {
  const auto is_alive = is_alive_;
  sample_timer_ = services_.loop.after(Milliseconds(kSampleStepMs), [this] { sample(); });
  Sample sample{.time = unix_ms(), .connections = services_.figures.connections};
  int64_t limit = 0;
  int64_t uptime = 0;
  Counters grown;
  std::vector<Need> needs;
  std::map<std::string, Counters> counters;
  const std::vector<NodeName> nodes = services_.upstream.nodes();
  for (const NodeName& node : nodes) {
    Words words = {"INFO", "server", "memory", "persistence", "replication", "millrace"};
    const Answer answer = co_await services_.upstream.ask_at(node, std::move(words));
    if (!*is_alive) co_return;
    const InfoText info(answer && !answer->is_error() ? answer->text : "");
    const std::string address = node.endpoint ? node.endpoint->text() : services_.upstream.seed_address();
    judge_node(needs, address, info);
    Counters now{
        sum_of(info, {"log_messages_written", "channel_messages_published", "shard_payloads_pushed",
                      "shard_messages_routed"}),
        sum_of(info, {"log_messages_read", "channel_messages_fetched", "shard_payloads_delivered"}),
        sum_of(info, {"log_messages_acknowledged", "channel_acknowledgements", "shard_payloads_acknowledged"})};
    if (const auto before = counters_.find(address); before != counters_.end()) {
      // A server that was restarted counts from 0.
      grown.in += std::max<int64_t>(0, now.in - before->second.in);
      grown.out += std::max<int64_t>(0, now.out - before->second.out);
      grown.acked += std::max<int64_t>(0, now.acked - before->second.acked);
    }
    if (!info.empty()) counters[address] = now;
    sample.waiters += sum_of(info, {"log_readers_blocked", "channel_fetches_blocked", "shard_clients_waiting",
                                    "lock_waiting", "feed_readers_blocked"});
    sample.memory += info.number("used_memory");
    limit += info.number("maxmemory");
    uptime = std::max(uptime, info.number("uptime_in_seconds"));
    if (!is_asked() || info.empty()) continue;
    Words waits = {"LOCK.WAITS", "COUNT", "10"};
    const Answer waiting = co_await services_.upstream.ask_at(node, std::move(waits));
    if (!*is_alive) co_return;
    if (waiting && !waiting->is_error()) judge_waits(needs, *waiting);
  }
  const int64_t now = steady_ms();
  if (counted_ != 0 && !counters_.empty()) {
    const int64_t ms = std::max<int64_t>(1, now - counted_);
    sample.in = grown.in * 1000 / ms;
    sample.out = grown.out * 1000 / ms;
    sample.acked = grown.acked * 1000 / ms;
  }
  counted_ = now;
  counters_ = std::move(counters);
  Board& board = services_.console.board;
  const std::lock_guard lock(board.mutex);
  const bool is_swept = board.sweep.ended != 0 && now - board.sweep.ended < 10 * kSampleStepMs;
  if (is_swept) {
    sample.lag = board.sweep.totals.lag;
    sample.pending = board.sweep.totals.pending;
    sample.dead = board.sweep.totals.dead;
  }
  board.samples.push_back(sample);
  if (board.samples.size() > kMostSamples) board.samples.pop_front();
  board.memory_limit = limit;
  board.uptime = uptime;
  board.server_needs = std::move(needs);
}

Detached Monitor::sweep() {
  const auto is_alive = is_alive_;
  Board& board = services_.console.board;
  if (!is_asked()) {
    // A new console must not show old state, from when the last one was closed, as a new event.
    const std::lock_guard lock(board.mutex);
    board.sweep = {};
    board.swept = 0;
    sweep_later(Milliseconds(500));
    co_return;
  }
  SweepResult result;
  const int64_t began = steady_ms();
  int64_t shown = 0;
  KeyQuestion question{.count = kPageKeys};
  bool is_whole = true;
  do {
    const int64_t page_began = steady_ms();
    KeyQuestion asked = question;
    const KeyPage page = co_await ask_for_keys(services_, std::move(asked));
    if (!*is_alive) co_return;
    is_whole = !page.failed && !page.refused && page.done >= page.of;
    if (page.failed || page.refused) break;
    for (const Reply& key : page.keys) take_key(result, key);
    show(board, page, result, shown);
    question.after = page.cursor;
    // A sweep of an index that is being built would miss keys: its first page is enough for now.
    if (!question.after || !is_whole) break;
    co_await pause(services_.loop, std::max(kLeastPauseMs, (steady_ms() - page_began) * kShare));
    if (!*is_alive) co_return;
  } while (is_asked());
  for (const auto& [log, groups] : result.dead_letters) {
    Words words = {"TINFO", log};
    const Answer info = co_await services_.upstream.ask(std::move(words));
    if (!*is_alive) co_return;
    if (!info || info->is_error()) continue;
    const int64_t messages = number_in(*info, "messages");
    result.totals.dead += messages;
    judge_dead_letters(result.needs, log, messages, groups.front().first, groups.front().second);
  }
  sort_needs(result.needs);
  size_t explained = 0;
  for (Need& need : result.needs) {
    if (need.kind != "group-stuck" || ++explained > kMostExplained) continue;
    Words words = {"TGROUP", "PENDING", need.key, need.name, "COUNT", "1"};
    const Answer pending = co_await services_.upstream.ask(std::move(words), 2);
    if (!*is_alive) co_return;
    if (pending && !pending->is_error()) explain_stuck(need, *pending);
  }
  const int64_t ended = steady_ms();
  if (is_whole && !question.after) {
    result.ended = ended;
    const std::lock_guard lock(board.mutex);
    board.sweep = std::move(result);
  }
  sweep_later(Milliseconds(is_whole ? std::max(kLeastRestMs, (ended - began) * kShare) : kShowMs));
}

}  // namespace millrace::gateway
