// Answers of the server as JSON. RESP2 has no maps: a shape says what an array means.
//
//   *               as it is: arrays are arrays
//   {}              names and values in turn: an object; {a:S,*:T} with the shape S for the field a, T for all others
//   [S]             an array of S
//   (a,b:S)         an array of that many values: an object with these fields
//   <a,b>           values in turn: an array of objects with these fields
//   =a              a value: an object with this one field
//
// After the name of a field, ! says that its value was written by a user: the value is cut at kMostShown bytes, and a
// field `bytes` has its whole length. >b says that the field is called b in the answer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/reply.h"

namespace millrace::gateway {

// How many bytes of a value that a user wrote are shown in a list.
inline constexpr size_t kMostShown = 16 << 10;

// A string if it is UTF-8, else {"base64":…}.
void append_bytes(std::string& out, std::string_view bytes);
// `"name":…,"bytes":n`, and `,"cut":true` if only `most` bytes of it are shown.
void append_content(std::string& out, std::string_view name, std::string_view content, size_t most = kMostShown);
// `"tag":…`, and `,"tag_bytes":n` if only `most` bytes of it are shown.
void append_tag(std::string& out, std::string_view tag, size_t most = kMostShown);
// A number; as a string if a double cannot represent it exactly.
void append_number(std::string& out, int64_t number);

// An answer that does not have the shape is converted without it.
void append_reply(std::string& out, const client::Reply& reply, std::string_view shape = "*");

// Creates replies that do not come from the server.
client::Reply list_of(std::vector<client::Reply> items);
client::Reply number_of(int64_t number);
client::Reply text_of(std::string text);

// The value of a field of a map; null: there is none.
const client::Reply* find_field(const client::Reply& map, std::string_view name);
// The same as a number, 0 if there is none.
int64_t number_in(const client::Reply& map, std::string_view name);

}  // namespace millrace::gateway
