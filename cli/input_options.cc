#include "cli/input_options.h"

#include <algorithm>

#include "client/escape.h"

namespace millrace::cli {
namespace {

using client::InputFormat;

struct FormatName {
  const char* name;
  InputFormat format;
};

constexpr FormatName kFormats[] = {
    {"csv", InputFormat::Csv},   {"tsv", InputFormat::Tsv},           {"ndjson", InputFormat::Ndjson},
    {"resp", InputFormat::Resp}, {"commands", InputFormat::Commands}, {"jsonl", InputFormat::Ndjson},
    {"json", InputFormat::Json}, {"export", InputFormat::Export},
};

std::optional<InputFormat> format_called(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &FormatName::name);
  if (found == std::end(kFormats)) return std::nullopt;
  return found->format;
}

// The format by the file's name: "users.csv", "users.csv.gz", "USERS.CSV".
std::optional<InputFormat> format_of(const std::string& file) {
  const std::string name = CLI::detail::to_lower(file);
  std::string_view path = name;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  }
  const size_t dot = path.rfind('.');
  return dot == path.npos ? std::nullopt : format_called(path.substr(dot + 1));
}

}  // namespace

const char* const kInputHelp = R"(The input is one or more files, or - for standard input; gzip and zstd are recognised
and unpacked. Its format follows from the name (.csv, .tsv, .ndjson, .jsonl, .json, .resp,
.commands) unless --format says it; without either, and without --as, it is resp.

  csv       RFC 4180: quotes, line ends within them, CRLF, a byte order mark
  tsv       fields between tabs, nothing is quoted
  ndjson    one JSON value a line
  json      the elements of a JSON array
  resp      the Redis protocol, as redis-cli --pipe takes it
  commands  one command a line, typed and quoted as in redis-cli
  export    what millrace export has written as ndjson

--as says which command a record of csv, tsv, ndjson or json becomes; several --as make
several commands of it. Words are sent binary-safe, never by quoting. A field stands in
braces:

  {price}   a column by the name in the header; a member of the JSON object
  {3}       the third column
  {/a/b/0}  a JSON pointer; a string is sent as its text, anything else as JSON
  {line}    the whole record as it stands there
  {json}    the whole record as a JSON object; with --typed numbers are numbers in it
  {age?}    optional: without a value, the word and its name before it are left out
  {age|0}   without a value, 0
  {age:06d} a whole number with zeros before it
  {{ }}     a brace)";

void InputOptions::add_to(CLI::App& command) {
  command.add_option("FILE", files, "what to read; - is standard input")->required();
  command.add_option("--as", as, "the command that a record becomes; may be given again")
      ->type_name("TEMPLATE")
      ->allow_extra_args(false);
  command.add_option("--format", format, "csv, tsv, ndjson, json, resp, commands or export")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"csv", "tsv", "ndjson", "json", "resp", "commands", "export"}));
  command.add_option("--delimiter", delimiter, "what parts the fields of csv or tsv: one character, or \\t")
      ->type_name("CHARACTER");
  command.add_flag("--typed", is_typed, "in {json} of csv or tsv, write numbers and booleans as such");
  command.add_flag("--no-header", has_no_header, "the first line of csv or tsv is a record");
}

client::Result<InputFormat> InputOptions::chosen_format() const {
  if (!format.empty()) return *format_called(format);
  const auto first = format_of(files.front());
  for (const std::string& file : files) {
    if (format_of(file) != first) {
      return client::fail(client::ErrorCode::BadInput,
                          files.front() + " and " + file + " are of different formats: load them one by one");
    }
  }
  if (first) return *first;
  if (as.empty()) return InputFormat::Resp;
  return client::fail(client::ErrorCode::BadInput,
                      files.front() + ": its name does not tell its format; --format csv, tsv, ndjson or json does");
}

client::Result<client::CommandSource> InputOptions::open() const {
  const auto chosen = chosen_format();
  if (!chosen) return std::unexpected(chosen.error());
  client::ParserOptions options{
      .format = *chosen, .as = as, .has_header = !has_no_header, .is_typed = is_typed, .delimiter = {}};
  if (!delimiter.empty()) {
    const std::string meant = delimiter == "\\t" ? "\t" : delimiter;
    if (meant.size() != 1 || meant.find_first_of("\"\r\n") != meant.npos) {
      return client::fail(client::ErrorCode::BadInput,
                          "--delimiter is one character, and no quote or line end, not '" + delimiter + "'");
    }
    options.delimiter = meant.front();
  }
  auto parser = client::make_parser(options);
  if (!parser) return std::unexpected(parser.error());
  const size_t longest =
      *chosen == InputFormat::Resp ? client::CommandSource::kLongestProtocol : client::CommandSource::kLongestRecord;
  client::CommandSource source(files, std::move(*parser), longest);
  if (auto checked = source.check_files(); !checked) return std::unexpected(checked.error());
  return source;
}

std::string InputOptions::identity() const {
  const auto chosen = *chosen_format();
  std::string line = std::ranges::find(kFormats, chosen, &FormatName::format)->name;
  if (has_no_header) line += " no-header";
  if (is_typed) line += " typed";
  if (!delimiter.empty()) {
    line += " delimiter ";
    client::append_json_string(line, delimiter);
  }
  // The first versions wrote an empty template if there was none.
  const std::vector<std::string> templates = as.empty() ? std::vector<std::string>{""} : as;
  for (const auto& [mark, text] : {std::pair{" as ", templates}, std::pair{" of ", files}}) {
    for (const std::string& one : text) {
      line += mark;
      client::append_json_string(line, one);
    }
  }
  return line;
}

}  // namespace millrace::cli
