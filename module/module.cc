// The table of contents: every family of commands, and what the host tells us.
#include <string>
#include <vector>

#include "module/abi/clock.h"
#include "module/abi/registration.h"
#include "module/channel/channel_commands.h"
#include "module/host/agenda.h"
#include "module/host/counters.h"
#include "module/host/family.h"
#include "module/host/monotonic_agenda.h"
#include "module/host/owed_answers.h"
#include "module/host/packing.h"
#include "module/host/reclaim.h"
#include "module/host/role.h"
#include "module/host/service_time.h"
#include "module/host/settings.h"
#include "module/lock/lock_commands.h"
#include "module/log/log_commands.h"
#include "module/route/route_commands.h"
#include "module/shard/shard_commands.h"
#include "version.h"

namespace millrace::module {

std::span<const Family> families() {
  static const Family all[] = {
      log_family(), channel_family(), shard_family(), lock_family(), route_family(),
  };
  return all;
}

namespace {

// What belongs to no family.
void write_info(abi::InfoWriter& info) {
  info.field("blocks_to_reclaim", blocks_to_reclaim());
  info.field("tag_indexes_to_reclaim", tag_indexes_to_reclaim());
  info.field("payloads_refused", counters.refused_payloads);
}

void on_deciding(bool deciding) {
  server_decides = deciding;
  if (!deciding) return;
  ++deciding_period;
  agenda::resume();
  // What a replica repeated may have been what somebody waited for there, who gets it only
  // where it is decided: a group's reader, a channel's subscriber.
  serve_all_waiters_afresh();
}

void on_swap(int first, int second) {
  agenda::follow_swap(first, second);
  packing::follow_swap(first, second);
  monotonic_agenda::follow_swap(first, second);
  serve_all_waiters_afresh();
}

void on_key_appeared(int database, ByteView name) {
  const DatabaseKey key{database, std::string(name)};
  agenda::add(key, UnixMs(0));
  packing::add(key, UnixMs(0));
  serve_soon(key);
}

void on_key_left(int database, ByteView name) {
  if (packing::waiting() > 0) packing::forget({database, std::string(name)});
  start_waiters_afresh(database, name);
}

void on_database_emptied(int database) {
  packing::forget_database(database);
  monotonic_agenda::forget(database);
}

void on_loading(abi::Loading loading) {
  if (loading == abi::Loading::Begins) reclaim_all();
  monotonic_agenda::follow_loading(loading);
}

void on_loop_end(abi::Context context) {
  service_time(abi::monotonic_now());  // the turn counts
  monotonic_agenda::work(context);
  serve_owed(context);
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
                   .databases_swapped = on_swap,
                   .loading = on_loading,
                   .database_emptied = on_database_emptied,
                   .databases_replaced = serve_all_waiters_afresh,
                   .key_appeared = on_key_appeared,
                   .key_left = on_key_left,
                   .loop_ends = on_loop_end},
  };
}
