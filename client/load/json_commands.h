// Commands out of NDJSON, one JSON value a line, by a template.
#pragma once

#include <string>
#include <vector>

#include "client/load/command_parser.h"
#include "client/load/json_scanner.h"

namespace millrace::client {

class JsonCommands : public CommandParser {
 public:
  // BadInput: fields that JSON does not have, or a pointer that is none.
  static Result<std::unique_ptr<CommandParser>> make(Template as);

  void begin_file() override { is_at_beginning_ = true; }
  Split take(std::string_view window, bool is_all) override;
  Words words() const override { return *words_; }

 private:
  // A field that is the whole line, and not one of the scanner's paths.
  static constexpr size_t kWhole = static_cast<size_t>(-1);

  JsonCommands(Template as, std::vector<JsonPath> paths, std::vector<size_t> sources);

  std::string gather(std::string_view line);

  Template template_;
  JsonScanner scanner_;
  std::vector<size_t> sources_;  // of the template's fields: which path, or kWhole
  std::vector<std::string_view> values_;
  std::vector<std::string> unescaped_;  // values in which a string had escapes
  bool is_at_beginning_ = true;
  const std::vector<std::string_view>* words_ = nullptr;
};

}  // namespace millrace::client
