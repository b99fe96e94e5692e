#include "engine/route/route_codec.h"
#include "module/commands/route/route_commands.h"
#include "module/commands/route/route_requests.h"
#include "module/commands/route/route_upkeep.h"
#include "module/host/counters.h"

namespace millrace::module {

void route_apply(abi::Context context, abi::Arguments arguments) {
  const auto effect = parse_route_apply(arguments.views(2));
  if (!effect) return context.reply().error(effect.error());
  const abi::StringRef name = arguments.string(1);
  auto key = RouteKey::for_writing(context, name);
  if (!key) return context.reply().error(key.error());

  auto made = key->get() == nullptr ? new_route_table() : nullptr;
  RouteTable& table = made != nullptr ? *made : *key->get();
  if (effect->clock) {
    table.tick(*effect->clock);
  } else if (const auto restored = restore_route_part(table, effect->part); !restored) {
    ++counters.refused_payloads;
    return context.reply().error(restored.error());
  }
  if (made != nullptr) key->set(std::move(made));
  context.reply().ok();
  context.replicate_verbatim();
  context.changed(name, "route.apply");
  settle(context, name, *key);
}

}  // namespace millrace::module
