#include "gateway/routes/console.h"

#include <algorithm>

#include "gateway/routes/console_files.h"

namespace millrace::gateway {
namespace {

// Only files of this gateway are loaded or run, and only this gateway gets requests, whatever a message contains.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::string_view kLeftOut =
    "<!doctype html><html lang=\"en\"><title>Millrace console</title>"
    "<h1>This gateway was built without the console</h1>"
    "<p>It contains packages that npm downloads at build time, and node or npm was missing, or npm could not download "
    "them. Install nodejs and npm, then build again: <code>cmake --preset release &amp;&amp; cmake --build --preset "
    "release</code>, or "
    "<code>./run</code>. Everything else of the gateway works: see <a href=\"../openapi.json\">/openapi.json</a>.</p>";

Response page_response(std::string_view type) {
  Response response;
  response.type = type;
  response.headers = {{"Content-Security-Policy", std::string(kPolicy)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Vary", "Accept-Encoding"}};
  return response;
}

Response file_response(const ConsoleFile& file, const Request& request) {
  Response response = page_response(file.type);
  response.may_be_kept = true;
  response.headers.emplace_back("ETag", file.etag);
  if (names_word(request.header("if-none-match").value_or(""), file.etag)) {
    response.status = 304;
    return response;
  }
  const bool packs = names_word(request.header("accept-encoding").value_or(""), "gzip");
  if (packs) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = packs ? file.packed : file.bytes;
  return response;
}

Task<Response> console(Services&, ExchangePtr exchange) {
  const auto files = console_files();
  if (files.empty()) {
    Response response = page_response("text/html; charset=utf-8");
    response.status = 404;
    response.body = kLeftOut;
    co_return response;
  }
  std::string path;
  for (const std::string& name : exchange->names) path += (path.empty() ? "" : "/") + name;
  if (path.empty()) path = "index.html";
  const auto found = std::ranges::find(files, path, &ConsoleFile::path);
  if (found == files.end()) co_return text_response(404, "404 page not found");
  co_return file_response(*found, exchange->request);
}

Response moved(std::string_view to) {
  Response response = text_response(302, "");
  response.headers.emplace_back("Location", to);
  return response;
}

// A browser that opens the address of the gateway gets the page; programs get 404.
Task<Response> root(Services&, ExchangePtr exchange) {
  if (!names_word(exchange->request.header("accept").value_or(""), "text/html")) {
    co_return text_response(404, "404 page not found");
  }
  co_return moved("console/");
}

// Redirects to the path with a slash, so that relative paths of the page's files work.
Task<Response> without_slash(Services&, ExchangePtr) { co_return moved("console/"); }

}  // namespace

const std::vector<Route>& console_page_routes() {
  static const std::vector<Route> routes = {
      {"GET", "/", root},
      {"GET", "/console", without_slash},
      {"GET", "/console/", console},
      {"GET", "/console/{file}", console},
      {"GET", "/console/{folder}/{file}", console},
  };
  return routes;
}

}  // namespace millrace::gateway
