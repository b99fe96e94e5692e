#include "engine/log/dead_letter_tag.h"

#include <algorithm>
#include <charconv>

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

// Reads only the format that append_json_string() writes in this style.
class TagReader {
 public:
  explicit TagReader(ByteView text) : left_(text) {}

  bool literal(ByteView expected) {
    if (!left_.starts_with(expected)) return false;
    left_.remove_prefix(expected.size());
    return true;
  }
  bool number() {
    const size_t digits = std::min(left_.find_first_not_of("0123456789"), left_.size());
    left_.remove_prefix(digits);
    return digits > 0;
  }
  bool string(std::string& text) {
    if (!literal("\"")) return false;
    while (!left_.empty()) {
      const char c = left_.front();
      left_.remove_prefix(1);
      if (c == '"') return true;
      if (c != '\\') {
        text += c;
      } else if (literal("u00")) {
        if (!hex_byte(text)) return false;
      } else if (left_.starts_with('"') || left_.starts_with('\\')) {
        text += left_.front();
        left_.remove_prefix(1);
      } else {
        return false;
      }
    }
    return false;
  }
  bool at_end() const { return left_.empty(); }

 private:
  // A byte that is not printable, or not UTF-8.
  bool hex_byte(std::string& text) {
    unsigned byte = 0;
    const char* const end = left_.data() + std::min<size_t>(2, left_.size());
    if (std::from_chars(left_.data(), end, byte, 16).ptr != left_.data() + 2) return false;
    left_.remove_prefix(2);
    text += static_cast<char>(byte);
    return true;
  }

  ByteView left_;
};

}  // namespace

std::string dead_letter_tag(bool expired, uint32_t attempts, Offset offset, ByteView group, ByteView key, ByteView tag,
                            std::optional<ByteView> reason) {
  std::string out = R"({"why":)";
  out += reason ? R"("dead")" : expired ? R"("expired")" : R"("attempts")";
  out += ",\"attempts\":" + std::to_string(attempts) + ",\"offset\":" + std::to_string(offset.value());
  append_member(out, "group", group);
  append_member(out, "key", key);
  append_member(out, "tag", tag);
  if (reason) append_member(out, "reason", *reason);
  return out + "}";
}

std::optional<DeadLetterOrigin> dead_letter_origin(ByteView tag) {
  TagReader in(tag);
  std::string why, group, reason;
  DeadLetterOrigin origin;
  const bool is_ours = in.literal(R"({"why":)") && in.string(why) && in.literal(R"(,"attempts":)") && in.number() &&
                       in.literal(R"(,"offset":)") && in.number() && in.literal(R"(,"group":)") && in.string(group) &&
                       in.literal(R"(,"key":)") && in.string(origin.key) && in.literal(R"(,"tag":)") &&
                       in.string(origin.tag);
  if (!is_ours) return std::nullopt;
  if (in.literal(R"(,"reason":)") && !in.string(reason)) return std::nullopt;
  if (!in.literal("}") || !in.at_end()) return std::nullopt;
  return origin;
}

}  // namespace millrace
