// Commands from JSON by a template: NDJSON, one value per line, or the elements of an array.
#pragma once

#include <string>
#include <vector>

#include "client/load/command_parser.h"
#include "client/load/json_array_splitter.h"
#include "client/load/json_scanner.h"
#include "client/load/template_commands.h"

namespace millrace::client {

class JsonCommands : public CommandParser {
 public:
  // BadInput: fields that JSON does not have, or an invalid pointer.
  static Result<std::unique_ptr<CommandParser>> make(Template as, bool is_array);

  void begin_file() override {
    is_at_beginning_ = true;
    array_.begin();
  }
  // An array needs its opening bracket.
  bool needs_beginning() const override { return is_array_; }
  Split take(std::string_view window, bool is_all) override;
  size_t commands_left() const override { return commands_.left(); }
  void next_command() override { commands_.next(); }
  Words words() const override { return commands_.words(); }

 private:
  // A field that is the whole line instead of one of the scanner's paths.
  static constexpr size_t kWhole = static_cast<size_t>(-1);

  JsonCommands(Template as, std::vector<JsonPath> paths, std::vector<size_t> sources, bool is_array);

  Split split(std::string_view window, bool is_all, std::string_view& value);
  std::optional<std::string> gather(std::string_view record);
  bool set_value(size_t field, std::string_view source);

  TemplateCommands commands_;
  bool is_array_;
  JsonArraySplitter array_;
  JsonScanner scanner_;
  std::vector<size_t> sources_;         // for each field of the template: its path, or kWhole
  std::string problem_;                 // of a value
  std::vector<std::string> unescaped_;  // decoded strings that had escapes
  bool is_at_beginning_ = true;
};

}  // namespace millrace::client
