// INFO and settings of a server, as plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "client/connection.h"

namespace millrace::cli::doctor {

class ServerFacts {
 public:
  // BadInput: the server does not allow these commands.
  static client::Result<ServerFacts> ask(client::Connection& server);

  // A field of INFO, or a setting of CONFIG GET; empty: it does not exist, or we may not read it.
  std::string info(const std::string& field) const { return value(info_, field); }
  std::string setting(const std::string& name) const { return value(settings_, name); }
  int64_t number(const std::string& field) const;

  bool has_module() const { return module_version_ > 0; }
  int64_t module_version() const { return module_version_; }

  // For tests of the checks.
  ServerFacts(std::map<std::string, std::string> info, std::map<std::string, std::string> settings,
              int64_t module_version)
      : info_(std::move(info)), settings_(std::move(settings)), module_version_(module_version) {}

 private:
  static std::string value(const std::map<std::string, std::string>& in, const std::string& name) {
    const auto found = in.find(name);
    return found == in.end() ? "" : found->second;
  }

  std::map<std::string, std::string> info_;
  std::map<std::string, std::string> settings_;
  int64_t module_version_ = 0;
};

}  // namespace millrace::cli::doctor
