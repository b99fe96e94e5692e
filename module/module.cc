// The table of contents: every command, type, setting and counter of the module.
#include <string>

#include "module/abi/data_type.h"
#include "module/abi/registration.h"
#include "module/command_table.h"
#include "module/commands/log_readers.h"
#include "module/commands/log_upkeep.h"
#include "module/host/agenda.h"
#include "module/host/counters.h"
#include "module/host/log_type.h"
#include "module/host/reclaim.h"
#include "module/host/role.h"
#include "module/host/settings.h"
#include "version.h"

namespace millrace::module {

namespace {

constexpr abi::CreateType kTypes[] = {
    abi::DataType<Log>::create,
};

void write_info(abi::InfoWriter& info) {
  info.field("log_messages_written", counters.log.written);
  info.field("log_messages_read", counters.log.read);
  info.field("log_messages_redelivered", counters.log.redelivered);
  info.field("log_messages_acknowledged", counters.log.acknowledged);
  info.field("log_messages_given_up", counters.log.given_up);
  info.field("log_dead_letters", counters.log.dead_letters);
  info.field("log_messages_evicted", counters.log.evicted);
  info.field("log_readers_blocked", counters.log.blocked_readers);
  info.field("log_readers_woken", counters.log.woken_readers);
  info.field("blocks_to_reclaim", blocks_to_reclaim());
  info.field("payloads_refused", counters.refused_payloads);
}

void on_deciding(bool deciding) {
  server_decides = deciding;
  if (deciding) agenda::resume();
}

void on_swap(int first, int second) {
  agenda::follow_swap(first, second);
  serve_all_readers_afresh();
}

void on_key_appeared(int database, ByteView name) {
  const DatabaseKey key{database, std::string(name)};
  keep_dates_of_key(key);
  serve_readers_soon(key);
}

void on_key_left(int database, ByteView name) { start_readers_afresh(database, name); }

}  // namespace

}  // namespace millrace::module

millrace::abi::Contents millrace::abi::contents() {
  using namespace millrace::module;
  return {
      .name = "millrace",
      .version = MILLRACE_VERSION_NUMBER,
      .commands = command_table(),
      .settings = all_settings(),
      .types = kTypes,
      .info = write_info,
      .listener = {.now_deciding = on_deciding,
                   .databases_swapped = on_swap,
                   .databases_replaced = serve_all_readers_afresh,
                   .key_appeared = on_key_appeared,
                   .key_left = on_key_left,
                   .loop_ends = serve_owed_readers},
  };
}
