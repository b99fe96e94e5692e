#include "engine/shard/dead_payload.h"

#include "engine/base/json_text.h"

namespace millrace {

std::string tag_of_dead_payload(const DeadPayload& dead, ByteView pool) {
  // Do not change: the tag is part of a message that is saved.
  constexpr JsonStyle kStyle = {.has_short_escapes = false, .escapes_delete = true};
  std::string tag = dead.reason ? R"({"why":"dead")" : R"({"why":"attempts")";
  const auto add = [&](const char* name, ByteView text) {
    tag += std::string(",\"") + name + "\":";
    append_json_string(tag, text, kStyle);
  };
  tag += ",\"attempts\":" + std::to_string(dead.attempts) + ",\"sequence\":" + std::to_string(dead.sequence.value());
  add("recipient", dead.recipient);
  add("pool", pool);
  if (dead.reason) add("reason", *dead.reason);
  return tag + "}";
}

}  // namespace millrace
