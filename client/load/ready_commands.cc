#include "client/load/ready_commands.h"

#include "client/load/command_line.h"
#include "client/load/json_commands.h"
#include "client/load/line_splitter.h"
#include "client/load/table_commands.h"

namespace millrace::client {

Split LineCommands::take(std::string_view window, bool is_all) {
  std::string_view line;
  Split split = split_line(window, is_all, line);
  if (split.kind != Split::Kind::Record) return split;
  auto words = split_command_line(line);
  if (!words) return Split::bad(split.size, words.error().text);
  if (words->empty()) return Split::nothing(split.size);
  unquoted_ = std::move(*words);
  words_.assign(unquoted_.begin(), unquoted_.end());
  return split;
}

Result<std::unique_ptr<CommandParser>> make_parser(const ParserOptions& options) {
  const bool is_ready = options.format == InputFormat::Resp || options.format == InputFormat::Commands;
  if (is_ready) {
    if (options.as) return fail(ErrorCode::BadInput, "--as is for csv, tsv and ndjson: this input is commands already");
    if (options.format == InputFormat::Resp) return std::make_unique<RespCommands>();
    return std::make_unique<LineCommands>();
  }
  if (!options.as) {
    return fail(ErrorCode::BadInput, "--as must say what becomes of a record, as in --as 'SET user:{id} {line}'");
  }
  auto as = Template::parse(*options.as);
  if (!as) return std::unexpected(as.error());
  if (options.format == InputFormat::Ndjson) return JsonCommands::make(std::move(*as));
  const auto style = options.format == InputFormat::Csv ? CsvSplitter::kCsv : CsvSplitter::kTsv;
  return TableCommands::make(style, std::move(*as), options.has_header);
}

}  // namespace millrace::client
