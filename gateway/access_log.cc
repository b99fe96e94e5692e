#include "gateway/access_log.h"

#include <cstdio>
#include <ctime>

#include "client/escape.h"
#include "gateway/json/json_text.h"

namespace millrace::gateway {

void write_access(bool as_json, const Request& request, const std::string& peer, const Response& response,
                  Milliseconds took) {
  char time[32];
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
  std::string line;
  if (as_json) {
    line = std::string("{\"time\":\"") + time + "\",\"peer\":\"" + peer + "\",\"method\":";
    append_string(line, request.method);
    line += ",\"path\":";
    append_string(line, request.path);
    line += ",\"status\":" + std::to_string(response.status) + ",\"bytes\":" + std::to_string(response.body.size()) +
            ",\"ms\":" + std::to_string(took.count()) + '}';
  } else {
    line = std::string(time) + ' ' + peer + ' ';
    client::append_printable(line, request.method + ' ' + request.path);
    line += ' ' + std::to_string(response.status) + ' ' + std::to_string(response.body.size()) + ' ' +
            std::to_string(took.count()) + "ms";
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

}  // namespace millrace::gateway
