#include "module/shard/pool_type.h"

#include <string>

#include "engine/blocks/messages_digest.h"
#include "engine/shard/pool_codec.h"
#include "engine/shard/pool_effects.h"
#include "module/abi/clock.h"
#include "module/runtime/counters.h"
#include "module/runtime/failure_point.h"

namespace millrace::module {

const HashKey& pool_hash_key() {
  static const HashKey key = [] {
    HashKey random;
    abi::fill_with_randomness(random);
    return random;
  }();
  return key;
}

}  // namespace millrace::module

namespace millrace::abi {

namespace {

// Behind the last part of a pool in an RDB file. Do not change: persisted.
constexpr char kEnd = '\x7f';

// A part travels as one string, its kind first; a block as two.
Result<std::unique_ptr<Pool>> load_pool(RdbReader& reader) {
  auto pool = std::make_unique<Pool>(module::pool_hash_key());
  while (true) {
    const auto bytes = reader.bytes();
    if (!bytes || bytes->size() == 0) return cut_short();
    const char kind = bytes->view().front();
    if (kind == kEnd) return pool;
    const auto part = static_cast<PoolPart>(kind);
    auto block = part == PoolPart::Block ? reader.bytes() : Buffer();
    if (!block) return cut_short();
    module::failure_point("pool.load");
    auto restored = restore_pool_part(*pool, part, bytes->view().substr(1), std::move(*block));
    if (!restored) return std::unexpected(restored.error());
  }
}

}  // namespace

std::unique_ptr<Pool> TypeTraits<Pool>::load(RdbReader& reader, int version) {
  auto pool = version == kEncodingVersion ? load_pool(reader)
                                          : fail(ErrorCode::Corrupt, "written by a newer version of the module");
  if (!pool) {
    ++module::counters.refused_payloads;
    reader.refuse("pool", pool.error());
    return nullptr;
  }
  return std::move(*pool);
}

void TypeTraits<Pool>::save(RdbWriter& writer, const Pool& pool) {
  each_pool_part(pool, [&](PoolPart part, ByteView bytes, ByteView block) {
    writer.bytes(std::string(1, static_cast<char>(part)) + std::string(bytes));
    module::failure_point("pool.save");
    if (part == PoolPart::Block) writer.bytes(block);
  });
  writer.bytes(ByteView(&kEnd, 1));
}

void TypeTraits<Pool>::rewrite(AofWriter& writer, const Pool& pool) {
  each_pool_part(pool, [&](PoolPart part, ByteView bytes, ByteView block) {
    module::failure_point("pool.rewrite");
    const char* word = kPoolParts[static_cast<size_t>(part)];
    if (part == PoolPart::Block) {
      writer.emit(module::kApplyToPool, word, bytes, block);
    } else {
      writer.emit(module::kApplyToPool, word, bytes);
    }
  });
}

std::unique_ptr<Pool> TypeTraits<Pool>::copy(const Pool& pool) {
  auto made = std::make_unique<Pool>(module::pool_hash_key());
  each_pool_part(pool, [&](PoolPart part, ByteView bytes, ByteView block) {
    static_cast<void>(restore_pool_part(*made, part, bytes, Buffer::copy_of(block)));
  });
  return made;
}

// What the pool says, not how the blocks of its queues happen to be cut.
void TypeTraits<Pool>::digest(DigestWriter& writer, const Pool& pool) {
  each_pool_part(pool, [&](PoolPart part, ByteView bytes, ByteView) {
    if (part < PoolPart::Block) writer.bytes(bytes);
  });
  for (const auto* workers : {&pool.working(), &pool.going()}) {
    for (WorkerId worker : *workers) {
      for (RecipientId at = pool.worker(worker).own.first; at.is_some(); at = pool.recipients()[at].after) {
        const Recipient& recipient = pool.recipients()[at];
        if (!recipient.queue) continue;
        writer.bytes(recipient.name());
        writer.number(recipient.queue->undelivered.value());
        millrace::digest(recipient.queue->messages, writer);
      }
      RecipientId at = pool.worker(worker).ready.first;
      for (; at.is_some(); at = pool.recipients()[at].queue->ready_after) writer.bytes(pool.recipients()[at].name());
    }
  }
}

}  // namespace millrace::abi
