#include "client/export/key_walk.h"

#include "client/cluster_map.h"

namespace millrace::client {
namespace {

constexpr const char* kPage = "1000";

}  // namespace

Result<void> KeyWalk::each(const std::vector<std::string>& patterns, const Visit& visit) {
  KeyConnection names(options_);
  for (const std::string& word : patterns) {
    if (!is_pattern(word)) {
      const auto type = names.call({"TYPE", word});
      if (!type) return std::unexpected(type.error());
      if (type->is_error()) return fail(ErrorCode::BadInput, type->text);
      if (auto visited = visit({word, type->text}); !visited) return visited;
      continue;
    }
    const auto all = nodes();
    if (!all) return std::unexpected(all.error());
    for (const Endpoint& endpoint : *all) {
      Connection node(options_);
      if (all->size() > 1) node.redirect(endpoint);
      if (auto scanned = scan(node, word, visit); !scanned) return scanned;
    }
  }
  return {};
}

// The masters of a cluster, or the single server.
Result<std::vector<Endpoint>> KeyWalk::nodes() {
  Connection server(options_);
  const auto map = ClusterMap::ask(server);
  if (!map) return std::unexpected(map.error());
  return map->is_cluster() ? map->nodes() : std::vector<Endpoint>{server.endpoint()};
}

Result<void> KeyWalk::scan(Connection& node, const std::string& pattern, const Visit& visit) {
  std::string cursor = "0";
  do {
    const auto page = node.call({"SCAN", cursor, "MATCH", pattern, "COUNT", kPage});
    if (!page) return std::unexpected(page.error());
    if (page->items.size() != 2) return fail(ErrorCode::BadInput, "SCAN: " + page->text);
    const auto& names = page->items[1].items;
    // All questions first: one round trip for a page.
    for (const Reply& name : names) {
      const std::string_view words[] = {"TYPE", name.text};
      if (auto sent = node.send(words); !sent) return sent;
    }
    std::vector<FoundKey> keys;
    for (const Reply& name : names) {
      const auto type = node.receive();
      if (!type) return std::unexpected(type.error());
      // The slot is moving: reading the key will find the right node.
      keys.push_back({name.text, type->is_error() ? "" : type->text});
    }
    for (FoundKey& key : keys) {
      // Expired, or deleted, since it was found.
      if (key.type == "none") continue;
      if (auto visited = visit(key); !visited) return visited;
    }
    cursor = page->items[0].text;
  } while (cursor != "0");
  return {};
}

}  // namespace millrace::client
