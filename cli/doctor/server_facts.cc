#include "cli/doctor/server_facts.h"

#include <cstdlib>
#include <sstream>

#include "client/copy/key_size.h"

namespace millrace::cli::doctor {

client::Result<ServerFacts> ServerFacts::ask(client::Connection& server) {
  const auto about = server.call({"INFO", "everything"});
  if (!about) return std::unexpected(about.error());
  if (about->is_error()) return client::fail(client::ErrorCode::BadInput, about->text);
  std::map<std::string, std::string> info;
  std::istringstream lines(about->text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    const size_t colon = line.find(':');
    if (colon != line.npos) info[line.substr(0, colon)] = line.substr(colon + 1);
  }
  // A user may lack the right to read settings or the list of modules: what is not known is not reported.
  std::map<std::string, std::string> settings;
  const auto all = server.call({"CONFIG", "GET", "*"});
  if (!all) return std::unexpected(all.error());
  for (size_t i = 0; i + 1 < all->items.size(); i += 2) settings[all->items[i].text] = all->items[i + 1].text;
  int64_t version = 0;
  const auto modules = server.call({"MODULE", "LIST"});
  if (!modules) return std::unexpected(modules.error());
  for (const client::Reply& one : modules->items) {
    const client::Reply* name = client::field_in(one, "name");
    const client::Reply* number = client::field_in(one, "ver");
    if (name != nullptr && name->text == "millrace" && number != nullptr) version = number->integer;
  }
  return ServerFacts(std::move(info), std::move(settings), version);
}

int64_t ServerFacts::number(const std::string& field) const { return std::atoll(info(field).c_str()); }

}  // namespace millrace::cli::doctor
