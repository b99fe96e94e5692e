#include "client/load/command_parser.h"

#include "client/load/export_commands.h"
#include "client/load/json_commands.h"
#include "client/load/ready_commands.h"
#include "client/load/table_commands.h"

namespace millrace::client {

Result<std::unique_ptr<CommandParser>> make_parser(const ParserOptions& options) {
  const bool is_ready = options.format == InputFormat::Resp || options.format == InputFormat::Commands ||
                        options.format == InputFormat::Export;
  const bool is_table = options.format == InputFormat::Csv || options.format == InputFormat::Tsv;
  if (options.is_typed && !is_table) return fail(ErrorCode::BadInput, "--typed is for csv and tsv");
  if (options.delimiter && !is_table) return fail(ErrorCode::BadInput, "--delimiter is for csv and tsv");
  if (is_ready) {
    if (!options.as.empty()) {
      return fail(ErrorCode::BadInput, "--as is for csv, tsv, ndjson and json: this input is commands already");
    }
    if (options.format == InputFormat::Resp) return std::make_unique<RespCommands>();
    if (options.format == InputFormat::Export) return std::make_unique<ExportCommands>();
    return std::make_unique<TypedCommands>();
  }
  if (options.as.empty()) {
    return fail(ErrorCode::BadInput, "--as must say what becomes of a record, as in --as 'SET user:{id} {line}'");
  }
  const std::vector<std::string_view> texts(options.as.begin(), options.as.end());
  auto as = Template::parse(texts);
  if (!as) return std::unexpected(as.error());
  if (!is_table) return JsonCommands::make(std::move(*as), options.format == InputFormat::Json);
  TableStyle style{.csv = options.format == InputFormat::Csv ? CsvSplitter::kCsv : CsvSplitter::kTsv,
                   .has_header = options.has_header,
                   .is_typed = options.is_typed};
  style.csv.delimiter = options.delimiter.value_or(style.csv.delimiter);
  return TableCommands::make(style, std::move(*as));
}

}  // namespace millrace::client
