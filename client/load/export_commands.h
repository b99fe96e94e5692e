// Commands from the NDJSON output of `millrace export`: each record contains its kind, and needs no template.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/export/record_commands.h"
#include "client/load/command_parser.h"

namespace millrace::client {

class ExportCommands : public CommandParser {
 public:
  ExportCommands();
  ~ExportCommands() override;

  Split take(std::string_view window, bool is_all) override;
  size_t commands_left() const override { return made_.size() - at_ - 1; }
  void next_command() override { ++at_; }
  Words words() const override { return made_[at_]; }

 private:
  struct Json;

  std::optional<std::string> read(std::string_view line);
  std::optional<std::string> make_hash(std::string_view key);
  // The bytes of a member: a string, or base64 if its name ends with "_base64". nullopt: there is none.
  std::optional<std::string_view> member(std::string_view name);
  std::string_view keep(std::string bytes);

  std::unique_ptr<Json> json_;
  std::vector<std::unique_ptr<std::string>> decoded_;  // decoded values that the record's words borrow
  std::vector<HashField> fields_;
  RecordCommands commands_;
  RecordCommands::Commands made_;
  size_t at_ = 0;
};

}  // namespace millrace::client
