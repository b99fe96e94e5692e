// One row of the API of the console, below /v1/admin: most are one command of the server, and its answer as JSON.
#pragma once

#include <string>
#include <string_view>

#include "gateway/routes/router.h"

namespace millrace::gateway {

// How an answer says where the next page begins.
enum class Paging {
  None,        // it has no pages; a shape that is a list is {"items":…}
  Pair,        // [cursor, items], the cursor 0 or null at the end
  Field,       // a map: `items` is one field of it, `cursor` another, the others stand beside
  LastName,    // the field `name` of the last item, if the page is full
  NextOffset,  // one behind the first value of the last item, if the page is full
  Ticket,      // the first value of the last item, which is the first of the next page once more
  Position,    // [items, position, more, …]
};

struct AdminRow {
  std::string_view method;
  std::string_view path;          // behind /v1/admin
  std::string_view command = {};  // a template (command_words.h); empty: `handler` does it
  std::string_view shape =
      {};  // of its answer, or of its items (reply_json.h); "#a": {"a":…}, "#a|b": b if it is a text
  std::string_view summary = {};  // half a sentence, for /openapi.json
  Paging paging = Paging::None;
  std::string_view items = {};    // of Paging::Field
  std::string_view also = {};     // a second command, whose answer becomes a field
  std::string_view also_is = {};  // "field:shape"
  // Adds what the gateway itself knows, as fields behind others.
  void (*more)(const Services& services, const Exchange& exchange, std::string& json) = nullptr;
  Handler handler = nullptr;
  Right right = Right::Read;
  std::string_view action = {};      // as the audit log calls it; empty: it is not audited
  std::string_view parameters = {};  // of the query or the body, for /openapi.json
  std::string_view answer = {};      // as in Route
  bool null_is_missing = false;      // null: 404
};

}  // namespace millrace::gateway
