#include "gateway/admin/reply_json.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/utf8.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {
namespace {

using client::Reply;
constexpr int64_t kMostExact = int64_t{1} << 53;

// The end of the shape at the beginning of `text`: at a comma or closing sign of its own level.
size_t shape_end(std::string_view text) {
  size_t depth = 0;
  size_t angles = 0;  // a separate part, because > alone gives a field another name
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<') ++angles;
    if (c == '>' && angles > 0) --angles;
    if (c == '{' || c == '[' || c == '(') {
      ++depth;
    } else if (c == '}' || c == ']' || c == ')') {
      if (depth == 0) return i;
      --depth;
    } else if (c == ',' && depth == 0 && angles == 0) {
      return i;
    }
  }
  return text.size();
}

// "name!>shown:shape"
struct Member {
  std::string_view name;
  std::string_view shown;
  std::string_view shape = "*";
  bool is_content = false;
};

// Removes the first shape from `left`.
Member next_member(std::string_view& left) {
  const std::string_view text = left.substr(0, shape_end(left));
  left.remove_prefix(std::min(text.size() + 1, left.size()));
  Member member;
  const size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  if (colon != text.npos) member.shape = text.substr(colon + 1);
  const size_t renamed = name.find('>');
  member.shown = renamed == name.npos ? name : name.substr(renamed + 1);
  name = name.substr(0, renamed);
  if (name.ends_with('!')) {
    member.is_content = true;
    name.remove_suffix(1);
    if (renamed == member.shown.npos) member.shown.remove_suffix(1);
  }
  member.name = name;
  return member;
}

std::vector<Member> members_of(std::string_view inside) {
  std::vector<Member> members;
  while (!inside.empty()) members.push_back(next_member(inside));
  return members;
}

void append_name(std::string& out, std::string_view name) {
  if (out.back() != '{') out += ',';
  append_string(out, name);
  out += ':';
}

void append_member(std::string& out, const Member& member, std::string_view name, const Reply& value) {
  if (member.is_content && value.kind == Reply::Kind::Text) {
    if (out.back() != '{') out += ',';
    append_content(out, name, value.text);
    return;
  }
  append_name(out, name);
  append_reply(out, value, member.shape);
}

void append_map(std::string& out, const Reply& reply, std::string_view inside) {
  const std::vector<Member> members = members_of(inside);
  out += '{';
  for (size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    const std::string& name = reply.items[i].text;
    auto found = std::ranges::find(members, name, &Member::name);
    if (found == members.end()) found = std::ranges::find(members, "*", &Member::name);
    if (found == members.end()) {
      append_member(out, Member{}, name, reply.items[i + 1]);
    } else {
      append_member(out, *found, found->name == "*" ? std::string_view(name) : found->shown, reply.items[i + 1]);
    }
  }
  out += '}';
}

void append_tuple(std::string& out, const Reply& reply, size_t from, const std::vector<Member>& members) {
  out += '{';
  for (size_t i = 0; i < members.size() && from + i < reply.items.size(); ++i) {
    append_member(out, members[i], members[i].shown, reply.items[from + i]);
  }
  out += '}';
}

void append_turns(std::string& out, const Reply& reply, std::string_view inside) {
  const std::vector<Member> members = members_of(inside);
  out += '[';
  for (size_t i = 0; i < reply.items.size(); i += members.size()) {
    if (i != 0) out += ',';
    append_tuple(out, reply, i, members);
  }
  out += ']';
}

void append_list(std::string& out, const Reply& reply, std::string_view shape) {
  out += '[';
  for (const Reply& item : reply.items) {
    if (&item != &reply.items.front()) out += ',';
    append_reply(out, item, shape);
  }
  out += ']';
}

void append_plain(std::string& out, const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::Nil:
      out += "null";
      return;
    case Reply::Kind::Integer:
      return append_number(out, reply.integer);
    case Reply::Kind::Text:
    case Reply::Kind::Status:
    case Reply::Kind::Error:
      return append_bytes(out, reply.text);
    case Reply::Kind::Array:
      return append_list(out, reply, "*");
  }
}

// At most `most` bytes, and no partial character at the end, because then the text would not be UTF-8.
std::string_view beginning_of(std::string_view content, size_t most) {
  const std::string_view shown = content.substr(0, most);
  if (shown.size() == content.size()) return shown;
  std::string_view whole = shown;
  for (int i = 0; i < 4 && !whole.empty() && !is_utf8(whole); ++i) whole.remove_suffix(1);
  return !whole.empty() && is_utf8(whole) ? whole : shown;
}

}  // namespace

void append_number(std::string& out, int64_t number) {
  const bool is_exact = number <= kMostExact && number >= -kMostExact;
  if (!is_exact) out += '"';
  out += std::to_string(number);
  if (!is_exact) out += '"';
}

void append_bytes(std::string& out, std::string_view bytes) {
  if (is_utf8(bytes)) return append_string(out, bytes);
  out += "{\"base64\":\"" + base64(bytes) + "\"}";
}

void append_content(std::string& out, std::string_view name, std::string_view content, size_t most) {
  const std::string_view shown = beginning_of(content, most);
  append_string(out, name);
  out += ':';
  append_bytes(out, shown);
  out += ",\"bytes\":" + std::to_string(content.size());
  if (shown.size() < content.size()) out += ",\"cut\":true";
}

void append_tag(std::string& out, std::string_view tag, size_t most) {
  const std::string_view shown = beginning_of(tag, most);
  out += "\"tag\":";
  append_bytes(out, shown);
  if (shown.size() < tag.size()) out += ",\"tag_bytes\":" + std::to_string(tag.size());
}

void append_reply(std::string& out, const Reply& reply, std::string_view shape) {
  const char sign = shape.empty() ? '*' : shape.front();
  if (sign == '=') {
    out += "{";
    append_name(out, shape.substr(1));
    append_plain(out, reply);
    out += '}';
    return;
  }
  if (sign == '*' || !reply.is_array()) return append_plain(out, reply);
  const std::string_view inside = shape.substr(1, shape.size() - 2);
  switch (sign) {
    case '{':
      return append_map(out, reply, inside);
    case '[':
      return append_list(out, reply, inside);
    case '(':
      return append_tuple(out, reply, 0, members_of(inside));
    default:
      return append_turns(out, reply, inside);
  }
}

Reply list_of(std::vector<Reply> items) {
  Reply reply;
  reply.kind = Reply::Kind::Array;
  reply.items = std::move(items);
  return reply;
}

Reply number_of(int64_t number) {
  Reply reply;
  reply.kind = Reply::Kind::Integer;
  reply.integer = number;
  return reply;
}

Reply text_of(std::string text) {
  Reply reply;
  reply.kind = Reply::Kind::Text;
  reply.text = std::move(text);
  return reply;
}

const Reply* find_field(const Reply& map, std::string_view name) {
  for (size_t i = 0; i + 1 < map.items.size(); i += 2) {
    if (map.items[i].text == name) return &map.items[i + 1];
  }
  return nullptr;
}

int64_t number_in(const Reply& map, std::string_view name) {
  const Reply* const value = find_field(map, name);
  return value == nullptr ? 0 : value->integer;
}

}  // namespace millrace::gateway
