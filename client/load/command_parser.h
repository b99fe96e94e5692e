// Takes commands off the front of an input: one class for each format.
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

  // A new file begins. BadInput is for the caller: it cannot happen to a second file alone.
  virtual void begin_file() {}

  // Whether something must be read at the beginning of a file before it can be continued
  // somewhere else: a table's header.
  virtual bool needs_beginning() const { return false; }

  // Finds the first command in the window. `is_all`: nothing comes behind it. Record: words()
  // are the command. See Split for the rest.
  virtual Split take(std::string_view window, bool is_all) = 0;

  // For a window that is as large as it may be, and still NeedsMore.
  virtual Split too_long(std::string_view) { return Split::lost("a record that is too long to be one"); }

  // A record may become several commands: how many of the last Record come behind the one that
  // words() is, and on to the next of them. What was borrowed for the first stays as it is.
  virtual size_t commands_left() const { return 0; }
  virtual void next_command() {}

  // The last Record's words, borrowed from the window and from this until the next take().
  virtual Words words() const = 0;

  // The last Record's bytes are the command in the Redis protocol.
  virtual bool is_protocol() const { return false; }
};

struct ParserOptions {
  InputFormat format;
  std::vector<std::string> as;         // the templates; csv, tsv, ndjson and json need one
  bool has_header = true;              // of csv and tsv
  bool is_typed = false;               // of csv and tsv: numbers and booleans of {json} are no strings
  std::optional<char> delimiter = {};  // of csv and tsv, another one
};

// BadInput: a template that is none, is missing, or has fields the format does not know.
Result<std::unique_ptr<CommandParser>> make_parser(const ParserOptions& options);

}  // namespace millrace::client
