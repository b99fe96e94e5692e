#include "module/abi/host_events.h"

#include <string_view>

#include "module/abi/registration.h"
#include "module/abi/staging.h"

namespace millrace::abi {

namespace {

// False while the data set that is being loaded is staged.
constinit bool is_in_place = true;

void on_loading(HostContext* context, HostEvent, uint64_t subevent, void*) {
  const bool over = subevent == kLoadingEnded || subevent == kLoadingFailed;
  listener().now_deciding(over && Context(context).is_master());
  if (!over) is_in_place = !is_staging();
  if (!is_in_place) return;  // it has events of its own
  listener().loading(!over ? Loading::Begins : subevent == kLoadingEnded ? Loading::Ends : Loading::Fails);
  if (over) listener().databases_replaced();
}

void on_flush(HostContext*, HostEvent, uint64_t subevent, void* data) {
  if (subevent != kFlushEnded) return;
  listener().database_emptied(static_cast<const HostFlushInfo*>(data)->database);
  listener().databases_replaced();
}

void on_swap(HostContext*, HostEvent, uint64_t, void* data) {
  const auto* swapped = static_cast<const HostSwapDbInfo*>(data);
  listener().databases_swapped(swapped->first, swapped->second);
}

int on_key_event(HostContext* context, int, const char* event, HostString* key) {
  const std::string_view name(event);
  if (name == "restore") value_restored(Context(context), StringRef(key));
  if (name == "rename_to" || name == "copy_to" || name == "move_to" || name == "restore") {
    listener().key_appeared(Context(context), StringRef(key));
  }
  return kOk;
}

bool subscribe(HostContext* context) {
  // A host that is asked for kNotifyTrimmed deletes the keys of a slot that has left one by one, so that
  // Listener::key_left is called for each of ours. (Otherwise Redis takes them out of the database in one step and
  // frees them on another thread.)
  const bool moves_slots = host.ClusterCanAccessKeysInSlot != nullptr;
  return host.SubscribeToServerEvent(context, kEventLoading, on_loading) == kOk &&
         host.SubscribeToServerEvent(context, kEventFlushed, on_flush) == kOk &&
         host.SubscribeToServerEvent(context, kEventSwapDb, on_swap) == kOk &&
         host.SubscribeToKeyspaceEvents(context, kNotifyGeneric | (moves_slots ? kNotifyTrimmed : 0), on_key_event) ==
             kOk;
}

}  // namespace

void detail::begin_to_watch_host() {
  host_is_watched = true;
  const Context context = own_context();
  if (!subscribe(context.handle())) log_warning("millrace: the host refuses to tell of its events");
  is_in_place = !is_staging();
  if (!context.is_loading()) return;
  listener().now_deciding(false);
  if (is_in_place) listener().loading(Loading::Begins);
}

}  // namespace millrace::abi
