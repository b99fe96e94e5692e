#include "engine/log/dead_letter_tag.h"

#include "engine/base/json_text.h"

namespace millrace {

namespace {

// Do not change: the tag is part of a message that is saved.
constexpr JsonStyle kTagStyle = {.has_short_escapes = false, .escapes_delete = true};

void append_member(std::string& to, const char* name, ByteView text) {
  to += ",\"";
  to += name;
  to += "\":";
  append_json_string(to, text, kTagStyle);
}

}  // namespace

std::string dead_letter_tag(bool expired, uint32_t attempts, Offset offset, ByteView group, ByteView key,
                            ByteView tag) {
  std::string out = expired ? R"({"why":"expired","attempts":)" : R"({"why":"attempts","attempts":)";
  out += std::to_string(attempts) + ",\"offset\":" + std::to_string(offset.value());
  append_member(out, "group", group);
  append_member(out, "key", key);
  append_member(out, "tag", tag);
  return out + "}";
}

}  // namespace millrace
