#include "gateway/admin/connection_json.h"

#include "gateway/admin/board.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {

bool names_connection(const HttpConnection& connection, std::string_view text) {
  if (text.empty() || connection.peer().find(text) != std::string::npos) return true;
  const StreamNote* const stream = connection.note().stream.get();
  return stream != nullptr && (stream->user.find(text) != std::string::npos ||
                               stream->what.find(text) != std::string::npos || stream->token == text);
}

std::string connection_json(const HttpConnection& connection, size_t loop, Moment now) {
  const ConnectionNote& note = connection.note();
  const auto age = std::chrono::duration_cast<Milliseconds>(now - note.since).count();
  std::string json = "{\"id\":\"" + std::to_string(loop) + '-' + std::to_string(note.number) + "\",\"user\":";
  const bool is_stream = note.stream != nullptr;
  if (is_stream && !note.stream->user.empty()) {
    append_string(json, note.stream->user);
  } else {
    json += "null";
  }
  json += ",\"address\":";
  append_string(json, connection.peer());
  json += ",\"kind\":";
  json += !is_stream ? "\"http\"" : note.stream->is_socket ? "\"websocket\"" : "\"sse\"";
  json += ",\"what\":";
  if (is_stream) {
    append_string(json, note.stream->what);
  } else {
    json += "null";
  }
  // In whole seconds, so that repeated answers do not differ without a change.
  json += ",\"since\":" + std::to_string((unix_ms() - age) / 1000 * 1000) + ",\"sent\":" + std::to_string(note.sent);
  json += ",\"token\":";
  if (is_stream && !note.stream->token.empty()) {
    append_string(json, note.stream->token);
  } else {
    json += "null";
  }
  return json + '}';
}

}  // namespace millrace::gateway
