// Reads commands from the front of an input: one class for each format.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/connection.h"
#include "client/load/split.h"
#include "client/load/template.h"

namespace millrace::client {

enum class InputFormat { Csv, Tsv, Ndjson, Json, Resp, Commands, Export };

class CommandParser {
 public:
  virtual ~CommandParser() = default;

  // A new file begins.
  virtual void begin_file() {}

  // Whether the beginning of a file must be read before continuing at a later place, because of a table's header for
  // example.
  virtual bool needs_beginning() const { return false; }

  // Finds the first command in the window. `is_all`: nothing follows the window. Record: words() are the command. See
  // Split for the rest.
  virtual Split take(std::string_view window, bool is_all) = 0;

  // For a window of the largest size that is still NeedsMore.
  virtual Split too_long(std::string_view) { return Split::lost("a record that is too long to be one"); }

  // A record may become several commands. commands_left(): how many commands of the last Record follow the one in
  // words(). next_command(): moves words() to the next one. What was borrowed for the first one stays valid.
  virtual size_t commands_left() const { return 0; }
  virtual void next_command() {}

  // The last Record's words, borrowed from the window and from this object until the next take().
  virtual Words words() const = 0;

  // The last Record's bytes are the command in the Redis protocol.
  virtual bool is_protocol() const { return false; }
};

struct ParserOptions {
  InputFormat format;
  std::vector<std::string> as;         // the templates; csv, tsv, ndjson and json need one
  bool has_header = true;              // for csv and tsv
  bool is_typed = false;               // for csv and tsv: numbers and booleans in {json} are not written as strings
  std::optional<char> delimiter = {};  // for csv and tsv, instead of the default
};

// BadInput: a template is invalid, missing, or has fields that the format does not have.
Result<std::unique_ptr<CommandParser>> make_parser(const ParserOptions& options);

}  // namespace millrace::client
