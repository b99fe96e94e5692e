#include "module/abi/disconnection.h"

#include "module/abi/context.h"
#include "module/abi/host.h"

namespace millrace::abi {

namespace {

void (*on_disconnection)(uint64_t client) = nullptr;

void on_client_changed(HostContext*, HostEvent, uint64_t change, void* details) {
  if (change == kClientDisconnects) on_disconnection(static_cast<const HostClientInfo*>(details)->id);
}

}  // namespace

void watch_disconnections(void (*disconnects)(uint64_t client)) {
  if (on_disconnection != nullptr) return;
  on_disconnection = disconnects;
  host.SubscribeToServerEvent(own_context().handle(), kEventClientChanged, on_client_changed);
}

}  // namespace millrace::abi
