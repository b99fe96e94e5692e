#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/keys/key_type_names.h"
#include "engine/keys/name_pattern.h"
#include "module/abi/data_type.h"
#include "module/keys/key_catalog.h"
#include "module/keys/key_figures.h"
#include "module/keys/keys_commands.h"
#include "module/keys/keys_requests.h"
#include "module/runtime/slice.h"

namespace millrace::module {

namespace {

struct Page {
  std::vector<std::pair<std::string, KeyType>> keys;
  std::optional<std::string> cursor;  // the last name that was looked at; nullopt: there are no more names
};

// The names are copied first: opening a key may delete it, which would change the list during the walk.
Page page_of(const KeyNames& names, const KeysRequest& request, const abi::UserRights& user, const Slice& slice) {
  Page page;
  KeyNames::Walk walk(names, request.type);
  walk.begin(request.after);
  std::optional<std::string> last;
  while (walk.is_at_name()) {
    if (page.keys.size() == request.count || (last && slice.is_over())) {
      page.cursor = std::move(last);
      return page;
    }
    last = std::string(walk.name());
    const bool is_wanted = !request.pattern || matches_pattern(*request.pattern, *last);
    if (is_wanted && user.may_read(abi::OwnedString(*last))) page.keys.emplace_back(*last, walk.type());
    walk.next();
  }
  return page;
}

void write_counts(abi::Reply reply, const KeyNames& names) {
  reply.map(kKeyTypes);
  for (size_t type = 0; type < kKeyTypes; ++type) {
    reply.bytes(kKeyTypeNames[type]);
    reply.integer(static_cast<int64_t>(names.size(static_cast<KeyType>(type))));
  }
}

bool write_name(abi::Context context, abi::StringRef name, KeyType type) {
  if (abi::type_number(context, name) != type) return false;
  context.reply().array(2);
  context.reply().bytes(name.view());
  context.reply().bytes(kKeyTypeNames[type]);
  return true;
}

}  // namespace

void millrace_keys(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_millrace_keys(arguments.views(1));
  const abi::Reply reply = context.reply();
  if (!request) return reply.error(request.error());
  const Slice slice;
  const key_catalog::Known known = key_catalog::ask(context);
  const abi::UserRights user(context);
  Page page = request->count == 0 ? Page{} : page_of(known.names, *request, user, slice);
  const uint64_t total = request->type ? known.names.size(*request->type) : known.names.size();
  reply.map(6);
  reply.bytes("done");
  reply.integer(static_cast<int64_t>(known.done));
  reply.bytes("of");
  reply.integer(static_cast<int64_t>(known.of));
  reply.bytes("total");
  reply.integer(static_cast<int64_t>(total));
  reply.bytes("counts");
  write_counts(reply, known.names);
  reply.bytes("keys");
  reply.array_later();
  uint64_t written = 0;
  size_t at = 0;
  for (; at < page.keys.size(); ++at) {
    // The rest of this page becomes the beginning of the next one.
    if (at > 0 && slice.is_over()) break;
    const auto& [name, type] = page.keys[at];
    const abi::OwnedString key(name);
    const bool is_there = request->with_info ? write_figures(context, key, type) : write_name(context, key, type);
    written += is_there ? 1 : 0;
  }
  reply.array_was(written);
  if (at < page.keys.size()) page.cursor = page.keys[at - 1].first;
  reply.bytes("cursor");
  page.cursor ? reply.bytes(*page.cursor) : reply.null();
}

}  // namespace millrace::module
