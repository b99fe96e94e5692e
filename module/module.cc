// The table of contents: every family of commands, and what the host tells us.
#include <span>
#include <string>
#include <vector>

#include "module/abi/clock.h"
#include "module/abi/registration.h"
#include "module/channel/channel_commands.h"
#include "module/fact/fact_commands.h"
#include "module/feed/feed_commands.h"
#include "module/index/index_commands.h"
#include "module/keys/keys_commands.h"
#include "module/lock/lock_commands.h"
#include "module/log/log_commands.h"
#include "module/route/route_commands.h"
#include "module/runtime/agenda.h"
#include "module/runtime/counters.h"
#include "module/runtime/deferred_wakes.h"
#include "module/runtime/family.h"
#include "module/runtime/imported_slots.h"
#include "module/runtime/reclaim.h"
#include "module/runtime/role.h"
#include "module/runtime/service_time.h"
#include "module/runtime/settings.h"
#include "module/shard/shard_commands.h"
#include "module/suggest/suggest_commands.h"
#include "version.h"

namespace millrace::module {

std::span<const Family> families() {
  static const Family all[] = {
      log_family(),   channel_family(), shard_family(),   lock_family(), route_family(),
      index_family(), fact_family(),    suggest_family(), feed_family(), keys_family(),
  };
  return all;
}

namespace {

// The parts that belong to no family.
void write_info(abi::InfoWriter& info) {
  info.field("keys_with_a_date", agenda::size());
  info.field("blocks_to_reclaim", blocks_to_reclaim());
  info.field("objects_to_reclaim", others_to_reclaim());
  info.field("payloads_refused", counters.refused_payloads);
}

void on_deciding(bool deciding) {
  may_decide = deciding;
  every_call_decides = may_decide && imported_slots::empty();
  if (!deciding) return;
  ++deciding_period;
  agenda::resume();
  // Replicated changes may include what clients on this server wait for. Readers of a group and subscribers of a
  // channel are served only on the deciding server, which this one has become.
  wake_all_afresh();
}

void on_promotion() {
  for (const Family& family : families()) {
    if (family.promoted != nullptr) family.promoted();
  }
}

template <class Visit>
void each_with_events(Visit visit) {
  for (const Family& family : families()) {
    if (family.database_events != nullptr) visit(*family.database_events);
  }
}

void on_swap(int first, int second) {
  agenda::follow_swap(first, second);
  each_with_events([&](const DatabaseEvents& events) { events.swapped(first, second); });
  wake_all_afresh();
}

void on_key_appeared(abi::Context context, abi::StringRef name) {
  for (const Family& family : families()) {
    if (family.appeared != nullptr) family.appeared(context, name);
  }
  wake_later({context.database(), std::string(name.view())});
}

void on_key_left(int database, ByteView name) {
  start_waiters_afresh(database, name);
  using KeyLeft = decltype(Family::key_left);
  static const std::vector<KeyLeft> listeners = [] {
    std::vector<KeyLeft> found;
    for (const Family& family : families()) {
      if (family.key_left != nullptr) found.push_back(family.key_left);
    }
    return found;
  }();
  for (const KeyLeft listener : listeners) listener(database, name);
}

void on_import_begins(ByteView job, std::span<const abi::SlotRange> slots) {
  imported_slots::begin(job, slots);
  every_call_decides = may_decide && imported_slots::empty();
}

void on_import_ended(ByteView job) {
  imported_slots::end(job);
  every_call_decides = may_decide && imported_slots::empty();
  agenda::import_ended();
  for (const Family& family : families()) {
    if (family.import_ended != nullptr) family.import_ended();
  }
  // Clients may still wait for keys of these slots since before the slots left.
  wake_all();
}

void on_database_emptied(int database) {
  agenda::forget(database);
  each_with_events([&](const DatabaseEvents& events) { events.emptied(database); });
}

void on_loading(abi::Loading loading) {
  if (loading == abi::Loading::Begins || loading == abi::Loading::BeginsAside) reclaim_all();
  agenda::follow_loading(loading);
  each_with_events([&](const DatabaseEvents& events) { events.loading(loading); });
}

void on_loop_end(abi::Context context) {
  service_time(abi::monotonic_now());  // this turn counts as service time
  agenda::end_turn(context);
  wake_deferred(context);
  for (const Family& family : families()) {
    if (family.turn_ends != nullptr) family.turn_ends(context);
  }
}

}  // namespace

}  // namespace millrace::module

millrace::abi::Contents millrace::abi::contents() {
  using namespace millrace::module;
  std::vector<Part> parts;
  for (const Family& family : families()) parts.push_back(family.part);
  parts.push_back({.commands = {}, .create_type = nullptr, .write_info = write_info});
  return {
      .name = "millrace",
      .version = MILLRACE_VERSION_NUMBER,
      .parts = std::move(parts),
      .settings = all_settings(),
      .listener = {.now_deciding = on_deciding,
                   .promoted = on_promotion,
                   .databases_swapped = on_swap,
                   .loading = on_loading,
                   .database_emptied = on_database_emptied,
                   .databases_replaced = wake_all_afresh,
                   .key_appeared = on_key_appeared,
                   .key_left = on_key_left,
                   .import_begins = on_import_begins,
                   .import_ended = on_import_ended,
                   .document_changed = indexes_follow_document,
                   .loop_ends = on_loop_end},
  };
}
