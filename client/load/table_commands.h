// Commands from CSV and TSV by a template.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/load/command_parser.h"
#include "client/load/csv_splitter.h"
#include "client/load/template_commands.h"

namespace millrace::client {

struct TableStyle {
  CsvSplitter::Style csv;
  bool has_header = true;
  bool is_typed = false;  // in {json}, numbers are numbers, true and false are booleans, and empty values are left out
};

class TableCommands : public CommandParser {
 public:
  // BadInput: fields that a table does not have, or names without a header.
  static Result<std::unique_ptr<CommandParser>> make(const TableStyle& style, Template as);

  void begin_file() override;
  bool needs_beginning() const override { return style_.has_header; }
  Split take(std::string_view window, bool is_all) override;
  Split too_long(std::string_view window) override { return CsvSplitter::too_long(window); }
  size_t commands_left() const override { return commands_.left(); }
  void next_command() override { commands_.next(); }
  Words words() const override { return commands_.words(); }

 private:
  // The source of a field's value: a column counted from 0, or the whole record.
  static constexpr size_t kLine = static_cast<size_t>(-1);
  static constexpr size_t kJson = static_cast<size_t>(-2);
  static constexpr size_t kNowhere = static_cast<size_t>(-3);

  TableCommands(const TableStyle& style, Template as);

  Split take_header(const Split& split);
  std::optional<std::string> bind();
  std::optional<std::string> gather();
  bool set_value(size_t field, std::string_view text);
  void write_json();

  TableStyle style_;
  CsvSplitter splitter_;
  TemplateCommands commands_;
  bool is_at_beginning_ = true;
  bool awaits_header_ = true;
  std::vector<std::string> header_;
  std::vector<size_t> columns_;  // for each field of the template
  std::string json_;
};

}  // namespace millrace::client
