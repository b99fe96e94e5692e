// SHARD.APPLY is not for people: it is what a master writes to its replicas and a server to
// its AOF. It is documented, and as careful with its bytes as RESTORE, because anybody may
// send it.
#include "engine/shard/pool_codec.h"
#include "module/commands/shard/pool_upkeep.h"
#include "module/commands/shard/shard_commands.h"
#include "module/commands/shard/shard_requests.h"
#include "module/commands/shard/waiting_workers.h"
#include "module/host/counters.h"
#include "module/host/log_strings.h"
#include "module/host/role.h"

namespace millrace::module {

namespace {

Result<void> apply(Pool& pool, const PoolEffect& effect) {
  using What = PoolEffect::What;
  switch (effect.what) {
    case What::Clock:
      pool.tick(effect.clock);
      return {};
    case What::Seen:
      if (const auto worker = pool.find_worker(effect.bytes)) pool.touch(*worker);
      return {};
    case What::Settle:
      pool.settle();
      return {};
    case What::Part:
      return restore_pool_part(pool, effect.part, effect.bytes, abi::copy_of(effect.block));
  }
  return {};
}

// Parts make the pool they belong to; other effects belong to a pool that exists. But 1.0.0 could write the time of a
// new pool before the command that makes it, so a replica and a server that loads its AOF accept that.
bool may_make_pool(abi::Context context, const PoolEffect& effect) {
  if (effect.what == PoolEffect::What::Part) return true;
  return effect.what == PoolEffect::What::Clock && !decides(context);
}

}  // namespace

void shard_apply(abi::Context context, abi::Arguments arguments) {
  const auto effect = parse_shard_apply(arguments.views(2));
  if (!effect) return context.reply().error(effect.error());
  const abi::StringRef name = arguments.string(1);
  auto key = PoolKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());

  if (key->get() == nullptr && !may_make_pool(context, *effect)) {
    ++counters.refused_payloads;
    return context.reply().error({ErrorCode::Corrupt, "the pool that this effect belongs to is missing"});
  }
  // A pool that is not there yet is made only if the effect is good.
  std::unique_ptr<Pool> made = key->get() == nullptr ? new_pool() : nullptr;
  Pool& pool = made ? *made : *key->get();
  PoolChange change(context, name, pool);
  if (const auto applied = apply(pool, *effect); !applied) {
    ++counters.refused_payloads;
    return context.reply().error(applied.error());
  }
  if (made) key->set(std::move(made));
  context.reply().ok();
  context.replicate_verbatim();
  context.changed(name, "shard.apply");
  change.settle(effect->what != PoolEffect::What::Clock);
  serve_workers(context, name, pool);
}

}  // namespace millrace::module
