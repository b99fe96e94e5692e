// One row of the console's API, below /v1/admin. Most rows run one command of the server and return its answer as JSON.
#pragma once

#include <string>
#include <string_view>

#include "gateway/routes/router.h"

namespace millrace::gateway {

// How an answer says where the next page begins.
enum class Paging {
  None,        // there are no pages; a list becomes {"items":…}
  Pair,        // [cursor, items], the cursor 0 or null at the end
  Field,       // a map: `items` is one of its fields, `cursor` another; the other fields stay as they are
  LastName,    // the field `name` of the last item, if the page is full
  NextOffset,  // the first value of the last item plus one, if the page is full
  Ticket,      // the first value of the last item; the next page begins with this item again
  Position,    // [items, position, more, …]
};

struct AdminRow {
  std::string_view method;
  std::string_view path;          // path after /v1/admin
  std::string_view command = {};  // a template (command_words.h); empty: `handler` is called
  std::string_view shape =
      {};  // of its answer, or of its items (reply_json.h); "#a": {"a":…}, "#a|b": b if it is a text
  std::string_view summary = {};  // a short phrase for /openapi.json
  Paging paging = Paging::None;
  std::string_view items = {};    // for Paging::Field
  std::string_view also = {};     // a second command, whose answer becomes a field
  std::string_view also_is = {};  // "field:shape"
  // Appends fields that come from the gateway itself.
  void (*more)(const Services& services, const Exchange& exchange, std::string& json) = nullptr;
  Handler handler = nullptr;
  Right right = Right::Read;
  std::string_view action = {};      // its name in the audit log; empty: not audited
  std::string_view parameters = {};  // parameters of the query or the body, for /openapi.json
  std::string_view answer = {};      // as in Route
  bool null_is_missing = false;      // a null answer becomes 404
};

}  // namespace millrace::gateway
