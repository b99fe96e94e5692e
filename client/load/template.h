// A template for the commands that are made from a record. Fields of the record are in braces.
//
//   TWRITE orders {type} {json}        each word is sent as one, whatever bytes the field has
//   SET user:{id} "{first} {last}"     a word may have several; quotes as in redis-cli
//   HSET {{user}}:{id} name {/name}    {{ and }} are braces
//   HSET u:{id} name {name} age {age?} without an age, "age" is left out as well
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/error.h"
#include "client/load/template_field.h"

namespace millrace::client {

class Template {
 public:
  // From one command, or from several that are sent for each record. BadInput: quotes or braces that are not closed, a
  // field without a name, no word at all.
  static Result<Template> parse(std::string_view text) { return parse(std::span(&text, 1)); }
  static Result<Template> parse(std::span<const std::string_view> texts);

  // The fields used, each once.
  const std::vector<TemplateField>& fields() const { return fields_; }

  // Stands for the value of an optional field that the record does not have. It differs from an empty value.
  static constexpr std::string_view kMissing{};
  static bool is_missing(std::string_view value) { return value.data() == nullptr; }

  // The commands with values[i] for fields()[i]. They borrow the values, this object and its buffer, until the next
  // call. A word with a missing value is left out. The word before it, usually the name of the value, is left out too,
  // if it is a literal and not one of the first two words. A command with only the first two words left is left out.
  std::span<const std::vector<std::string_view>> fill(std::span<const std::string_view> values);

 private:
  struct Piece {
    std::string text;  // text of a literal
    size_t field = kNone;
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);
  struct Word {
    std::vector<Piece> pieces;
    bool is_optional = false;  // one of its fields is optional

    bool is_literal() const { return pieces.empty() || (pieces.size() == 1 && pieces[0].field == kNone); }
  };
  using Command = std::vector<Word>;

  Result<Word> parse_word(std::string_view text);
  Result<size_t> field_number(std::string_view text);
  bool fill_command(const Command& command, std::span<const std::string_view> values,
                    std::vector<std::string_view>& words);
  std::string_view filled_word(const Word& word, std::span<const std::string_view> values);

  std::vector<TemplateField> fields_;
  std::vector<Command> commands_;
  std::vector<std::vector<std::string_view>> filled_;
  std::string joined_;
};

}  // namespace millrace::client
