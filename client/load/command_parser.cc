#include "client/load/command_parser.h"

#include "client/load/json_commands.h"
#include "client/load/ready_commands.h"
#include "client/load/table_commands.h"

namespace millrace::client {

Result<std::unique_ptr<CommandParser>> make_parser(const ParserOptions& options) {
  const bool is_ready = options.format == InputFormat::Resp || options.format == InputFormat::Commands;
  if (is_ready) {
    if (options.as) return fail(ErrorCode::BadInput, "--as is for csv, tsv and ndjson: this input is commands already");
    if (options.format == InputFormat::Resp) return std::make_unique<RespCommands>();
    return std::make_unique<TypedCommands>();
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
