#include "gateway/stream/dispatched_change.h"

#include "gateway/json/json_object.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

// "app:todo:model:task", followed by # and the filter, if there is one.
std::string subscription_name(const std::vector<std::string_view>& subscription) {
  std::string name = json_string_value(subscription[0]).value_or("");
  if (const auto filter = json_string_value(subscription[1])) name += '#' + *filter;
  return name;
}

// The part of one device: {"device":…,"change":…,"channels":…,"subscriptions":[[channel, filter, change], …]}
std::string device_part(const JsonObject& device) {
  std::string names;
  std::string changes;
  const auto subscriptions = json_items(device.raw("subscriptions").value_or(""));
  for (const std::string_view item : subscriptions.value_or(std::vector<std::string_view>())) {
    const auto subscription = json_items(item);
    if (!subscription || subscription->size() != 3) continue;
    if (!names.empty()) names += ',';
    append_string(names, subscription_name(*subscription));
    if (!changes.empty()) changes += ',';
    changes += (*subscription)[2];
  }
  return "\"change\":" + std::string(device.raw("change").value_or("null")) + ",\"subscriptions\":[" + names +
         "],\"changes\":[" + changes + ']';
}

}  // namespace

std::optional<DispatchedChange> dispatched_change(std::string_view entry) {
  const auto object = JsonObject::parse(entry);
  const auto devices = object ? json_items(object->raw("devices").value_or("")) : std::nullopt;
  if (!devices) return std::nullopt;
  DispatchedChange change;
  for (const auto& [name, value] : object->fields()) {
    if (name == "devices") continue;
    if (!change.common.empty()) change.common += ',';
    append_string(change.common, name == "event" ? "name" : name);
    change.common.append(1, ':').append(value);
  }
  for (const std::string_view item : *devices) {
    const auto device = JsonObject::parse(item);
    const auto name = device ? device->text("device") : std::nullopt;
    if (name) change.devices.emplace(*name, device_part(*device));
  }
  return change;
}

std::string change_event(std::string_view table, const DispatchedChange& change, std::string_view of_device,
                         std::string_view cursor) {
  std::string json = "{\"event\":\"change\",\"table\":";
  append_string(json, table);
  json.append(1, ',').append(of_device).append(1, ',').append(change.common).append(",\"cursor\":");
  append_string(json, cursor);
  return json + '}';
}

}  // namespace millrace::gateway
