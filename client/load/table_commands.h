// Commands out of CSV and TSV, by a template.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/load/command_parser.h"
#include "client/load/csv_splitter.h"

namespace millrace::client {

class TableCommands : public CommandParser {
 public:
  // BadInput: fields that a table does not have, or names without a header.
  static Result<std::unique_ptr<CommandParser>> make(CsvSplitter::Style style, Template as, bool has_header);

  void begin_file() override;
  bool needs_beginning() const override { return has_header_; }
  Split take(std::string_view window, bool is_all) override;
  Split too_long(std::string_view window) override { return CsvSplitter::too_long(window); }
  Words words() const override { return *words_; }

 private:
  // Where a field's value is: in this column counted from 0, or in the whole record.
  static constexpr size_t kLine = static_cast<size_t>(-1);
  static constexpr size_t kJson = static_cast<size_t>(-2);

  TableCommands(CsvSplitter::Style style, Template as, bool has_header);

  Split take_header(const Split& split);
  std::optional<std::string> bind();
  std::optional<std::string> gather();
  void write_json();

  CsvSplitter splitter_;
  Template template_;
  bool has_header_;
  bool is_at_beginning_ = true;
  bool awaits_header_ = true;
  std::vector<std::string> header_;
  std::vector<size_t> columns_;  // of the template's fields
  std::vector<std::string_view> values_;
  std::string json_;
  const std::vector<std::string_view>* words_ = nullptr;
};

}  // namespace millrace::client
