// A change as ROUTE.DISPATCH has written it to the log of a transport: its devices, and what it means to each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gateway/stream/message.h"

namespace millrace::gateway {

struct DispatchedChange {
  // By device: "change":"enter","subscriptions":["…"],"changes":["enter"]
  std::unordered_map<std::string, std::string> devices;
  // For all of them: "name":"task.saved","app":"todo",…,"document":{…}
  std::string common;
};

// nullopt: the message was not written by ROUTE.DISPATCH.
std::optional<DispatchedChange> dispatched_change(std::string_view entry);

// {"event":"change","table":"…",…,"cursor":"…"} for a device that the change is for.
std::string change_event(std::string_view table, const DispatchedChange& change, std::string_view of_device,
                         std::string_view cursor);

}  // namespace millrace::gateway
