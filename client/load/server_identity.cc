#include "client/load/server_identity.h"

#include <charconv>

namespace millrace::client {
namespace {

// The value of "name:value\r\n"; empty if there is no such line.
std::string_view info_value(std::string_view info, std::string_view name) {
  for (size_t at = 0; at < info.size();) {
    const size_t end = std::min(info.find('\n', at), info.size());
    std::string_view line = info.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    line.remove_prefix(name.size() + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  return {};
}

int64_t info_number(std::string_view info, std::string_view name) {
  const std::string_view value = info_value(info, name);
  int64_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

}  // namespace

std::optional<ServerIdentity> parse_identity(std::string_view info) {
  ServerIdentity identity;
  identity.run_id = info_value(info, "run_id");
  if (identity.run_id.empty()) return std::nullopt;
  identity.history = info_value(info, "master_replid");
  identity.earlier_history = info_value(info, "master_replid2");
  identity.earlier_end = info_number(info, "second_repl_offset");
  identity.offset = info_number(info, "master_repl_offset");
  identity.has_append_only = info_value(info, "aof_enabled") == "1";
  return identity;
}

std::optional<ServerIdentity> ask_identity(Connection& server) {
  const auto info = server.call({"INFO"});
  if (!info || info->is_error()) return std::nullopt;
  auto identity = parse_identity(info->text);
  if (!identity || !identity->has_append_only) return identity;
  const auto policy = server.call({"CONFIG", "GET", "appendfsync"});
  identity->is_always_synced = policy && policy->items.size() == 2 && policy->items[1].text == "always";
  return identity;
}

Kept what_is_kept(const std::optional<ServerIdentity>& before, const std::optional<ServerIdentity>& now) {
  using What = Kept::What;
  if (!before || !now) return {What::Unsaid};
  if (before->run_id == now->run_id && before->history == now->history) return {What::All};
  if (!before->history.empty() && now->earlier_history == before->history) {
    return {What::UpToOffset, now->earlier_end};
  }
  // If the same process has another history, it has replaced its data by that of another server.
  if (before->run_id == now->run_id) return {What::Nothing};
  if (!before->has_append_only || !now->has_append_only) return {What::Nothing};
  return {before->is_always_synced ? What::All : What::AllButTheLast};
}

}  // namespace millrace::client
