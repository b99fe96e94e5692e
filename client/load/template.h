// What becomes of a record: a command in which fields stand in braces.
//
//   TWRITE orders {type} {json}        each word is sent as one, whatever bytes the field has
//   SET user:{id} "{first} {last}"     a word may have several; quotes as in redis-cli
//   HSET {{user}}:{id} name {/name}    {{ and }} are braces
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/error.h"

namespace millrace::client {

struct TemplateField {
  enum class Kind {
    Name,     // {price}: a column by its header, a member of a JSON object
    Column,   // {3}: the third column
    Pointer,  // {/a/b/0}: a JSON pointer
    Line,     // {line}: the record as it stands in the input
    Json,     // {json}: the record as a JSON object
  };
  Kind kind;
  std::string name;  // what stands between the braces
  size_t column = 0;
};

class Template {
 public:
  // BadInput: quotes or braces that do not close, a field without a name, no word at all.
  static Result<Template> parse(std::string_view text);

  // The fields used, each once.
  const std::vector<TemplateField>& fields() const { return fields_; }

  // The words of the command with values[i] for fields()[i]. They borrow the values, this,
  // and a buffer of this, until the next call.
  const std::vector<std::string_view>& fill(std::span<const std::string_view> values);

 private:
  struct Piece {
    std::string text;  // a literal, unless it is a field
    size_t field = kNone;
  };
  static constexpr size_t kNone = static_cast<size_t>(-1);
  using Word = std::vector<Piece>;

  Result<Word> parse_word(std::string_view text);
  size_t field_number(std::string_view name);

  std::vector<TemplateField> fields_;
  std::vector<Word> words_;
  std::vector<std::string_view> filled_;
  std::string joined_;
};

}  // namespace millrace::client
