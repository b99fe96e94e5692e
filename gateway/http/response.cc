#include "gateway/http/response.h"

#include "engine/base/json_text.h"

namespace millrace::gateway {
namespace {

// Headers of every answer, as DSPS's clients and careful browsers expect.
constexpr std::string_view kCommonHeaders =
    "X-Frame-Options: deny\r\n"
    "X-Content-Type-Options: nosniff\r\n";
constexpr std::string_view kKeptByNobody =
    "Cache-Control: no-cache, no-store, max-age=0, must-revalidate\r\n"
    "Pragma: no-cache\r\n"
    "Expires: 0\r\n";

}  // namespace

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 417:
      return "Expectation Failed";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

std::string written(const Response& response, bool keeps_alive, bool is_head) {
  std::string text;
  text.reserve(512 + response.body.size());
  text += "HTTP/1.1 " + std::to_string(response.status) + ' ';
  text += reason_phrase(response.status);
  text += "\r\n";
  text += kCommonHeaders;
  text += response.may_be_kept ? "Cache-Control: no-cache\r\n" : kKeptByNobody;
  for (const auto& [name, value] : response.headers) text.append(name).append(": ").append(value).append("\r\n");
  if (response.is_upgrade) return text + "\r\n";
  const bool has_body = response.status != 204 && response.status != 304;
  if (!response.type.empty() && has_body) text += "Content-Type: " + response.type + "\r\n";
  // The end of a stream is the end of the connection: its bytes are the same for all clients.
  if (!response.stream && has_body) {
    text += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  text += keeps_alive && !response.stream ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  if (!is_head) text += response.body;
  return text;
}

Response error_response(int status, std::string_view error, std::string_view code) {
  std::string body = "{";
  if (!code.empty()) {
    body += "\"code\":";
    append_json_string(body, code);
    body += ',';
  }
  body += "\"error\":";
  append_json_string(body, error);
  body += "}\n";
  return {.status = status, .body = std::move(body)};
}

Response text_response(int status, std::string text) {
  return {.status = status, .body = std::move(text), .type = "text/plain; charset=utf-8"};
}

}  // namespace millrace::gateway
