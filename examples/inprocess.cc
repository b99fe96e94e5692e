// The engine in a program of its own, without any server: a log with a group that retries, a channel, a worker pool and
// a lock, with a clock that the program sets, and a snapshot of the log in a file.
//
//   example_inprocess SNAPSHOT-FILE
//
// docs/embedding.md explains it step by step.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/channel/channel_operations.h"
#include "engine/lock/lock_operations.h"
#include "engine/log/log_operations.h"
#include "engine/log/log_parts.h"
#include "engine/shard/pool_operations.h"

using namespace millrace;

namespace {

// The program's clock. The engine does not read a clock: every call gets the time as an argument.
Now now{.wall = UnixMs(1'700'000'000'000),
        .monotonic = MonotonicMs(1'000),
        .clock_id = 1,
        .served = MonotonicMs(1'000),
        .served_period = 1};

Call call() { return {.now = now}; }

void let_pass(uint64_t milliseconds) {
  now.wall = now.wall + milliseconds;
  now.monotonic = now.monotonic + milliseconds;
  now.served = now.served + milliseconds;
}

// --- a log ---

// A new log derives its epoch from this. A program that deletes logs and makes them again should use random bytes.
void fill_random(HashKey& bytes) { bytes.fill(7); }

// This program has only one log, so there is no other one for dead letters.
class NoOtherLogs final : public OtherLogs {
 public:
  Result<void> may_write(const Place<Log>&, ByteView) override {
    return fail(ErrorCode::Range, "there is no other log");
  }
  bool write(const Place<Log>&, ByteView, const WriteRequest&) override { return false; }
};

class PrintedMessages final : public MessageSink {
 public:
  void begin(const LogBounds&, std::optional<uint64_t>) override {}
  void evicted(uint64_t count) override { std::printf("  %llu evicted\n", static_cast<unsigned long long>(count)); }
  void message(const Message& message, uint32_t attempts) override {
    std::printf("  %llu %.*s: %.*s (attempt %u)\n", static_cast<unsigned long long>(message.offset.value()),
                static_cast<int>(message.tag.size()), message.tag.data(), static_cast<int>(message.entry.size()),
                message.entry.data(), attempts);
  }
  void end(uint64_t count) override { std::printf("  %llu messages\n", static_cast<unsigned long long>(count)); }
};

void read_orders(LogOperations& logs, Place<Log>& orders) {
  ReadRequest request;
  request.group = GroupRead{.name = "billing", .consumer = {}, .retry = Retry{100, 0}, .with_attempts = true};
  request.count = 10;
  PrintedMessages printed;
  logs.read(orders, request, call(), printed);
}

// A string is its size, followed by its bytes.
void save(const Log& log, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  const auto write = [&](ByteView string) { out << string.size() << '\n' << string; };
  each_part(log, [&](const Part& part) { write_part(kLogParts, part, write); });
  write(kEndOfParts);
}

Result<Log> load(BlockPacker& packer, const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const auto next = [&]() -> Result<Buffer> {
    size_t size = 0;
    in >> size;
    in.ignore();
    std::string string(size, '\0');
    if (!in.read(string.data(), static_cast<std::streamsize>(size))) return corrupt("the file ends too early");
    return Buffer::copy_of(string);
  };
  LogRestorer restorer(packer);
  const auto read = read_parts(kLogParts, next, [&](uint8_t kind, ByteView bytes, Buffer block) {
    return restorer.add(kind, bytes, std::move(block));
  });
  if (!read) return std::unexpected(read.error());
  return restorer.finish();
}

bool use_a_log(const std::string& file) {
  NoOtherLogs no_others;
  LogLimits limits;
  BlockPacker packer;
  HashKey tag_key{};  // random bytes, in a program that gets untrusted input
  LogOperations logs(no_others, limits, packer, tag_key, fill_random);
  OwnPlace<Log> orders("orders");

  const ByteView messages[] = {"new", "order 1", "new", "order 2"};
  const auto written = logs.write(orders, {.backlog = {}, .pairs = messages}, call());
  std::printf("log: the first message is at %llu\n", static_cast<unsigned long long>(written.answer->offset.value()));
  read_orders(logs, orders);
  AckRequest done{.group = "billing", .consumer = {}, .ranges = {{Offset(1), Offset(1)}}};
  logs.acknowledge(orders, done, call());
  std::printf("after 100 ms, the one that was not acknowledged comes again, from a snapshot too:\n");
  let_pass(100);
  save(*orders.get(), file);
  auto loaded = load(packer, file);
  if (!loaded) {
    std::fprintf(stderr, "%s: %s\n", file.c_str(), loaded.error().text.c_str());
    return false;
  }
  OwnPlace<Log> again("orders");
  again.put(std::move(*loaded));
  read_orders(logs, again);
  return true;
}

// --- a channel ---

class PrintedFetch final : public FetchSink {
 public:
  void begin(uint64_t) override {}
  void message(const Message& message) override {
    std::printf("  %.*s: %.*s\n", static_cast<int>(message.tag.size()), message.tag.data(),
                static_cast<int>(message.entry.size()), message.entry.data());
  }
  void end(std::optional<ByteView> given, bool) override {
    if (given) receipt = *given;
  }
  std::string receipt;
};

void use_a_channel() {
  ChannelLimits limits;
  ChannelOperations channels([](HashKey& secret) { secret.fill(42); }, limits);
  OwnPlace<Channel> news("news");
  channels.subscribe(news, {"ann", {}}, call(), nullptr);
  const ByteView message[] = {"m1", "hello"};
  channels.publish(news, {message}, call());
  std::printf("channel: what ann has not acknowledged\n");
  FetchRequest fetch{.subscriber = "ann", .block_ms = {}};
  PrintedFetch printed;
  channels.fetch(news, fetch, call(), printed);
  const auto moved_on = channels.acknowledge(news, {"ann", printed.receipt}, call());
  std::printf("  acknowledged: %s\n", *moved_on.answer ? "yes" : "no");
}

// --- a worker pool ---

class NobodyWaits final : public PoolWaiters {
 public:
  const WaitingLines* find(const Place<Pool>&) const override { return nullptr; }
};

class PrintedPayloads final : public PayloadSink {
 public:
  void begin() override {}
  void payload(const Pool::PulledPayload& pulled) override {
    std::printf("  %.*s: %.*s\n", static_cast<int>(pulled.recipient.size()), pulled.recipient.data(),
                static_cast<int>(pulled.payload.size()), pulled.payload.data());
  }
  void end(uint64_t) override {}
};

void pull(PoolOperations& pools, Place<Pool>& pool, const char* worker) {
  std::printf("pool: %s gets\n", worker);
  PullRequest request{.worker = worker, .count = 10, .block_ms = {}};
  PrintedPayloads printed;
  pools.pull(pool, request, call(), printed);
}

void use_a_pool() {
  NobodyWaits nobody;
  BlockLimits limits;
  PoolOperations pools(HashKey{}, nobody, limits);
  OwnPlace<Pool> pool("pool");
  pools.join(pool, "w1", call());
  pools.join(pool, "w2", call());
  const ByteView payload[] = {"wake up"};
  RouteRequest push{.recipient = "ann", .payloads = payload, .block_ms = {}};
  const auto sent = pools.push(pool, push, call());
  const std::string owner(sent.answer->worker), other = owner == "w1" ? "w2" : "w1";
  pull(pools, pool, owner.c_str());
  let_pass(20'000);  // and neither acknowledges nor shows that it is alive: it becomes stale
  pools.heartbeat(pool, other, call());
  pools.look_after(pool, call());
  pull(pools, pool, other.c_str());
}

// --- a lock ---

void use_a_lock() {
  LockOperations locks;
  OwnPlace<Lock> door("door");
  const auto ask = [&](const char* owner) {
    AcquireRequest request;
    request.owner = owner;
    request.ttl_ms = 1'000;
    const AcquireAnswer answer = *locks.acquire(door, request, call()).answer;
    std::printf("lock: %s %s\n", owner, answer.is_granted() ? "has it" : "must wait");
  };
  ask("ann");
  ask("bob");
  let_pass(1'001);  // her lease is over
  ask("bob");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: example_inprocess SNAPSHOT-FILE\n");
    return 1;
  }
  if (!use_a_log(argv[1])) return 1;
  use_a_channel();
  use_a_pool();
  use_a_lock();
  return 0;
}
