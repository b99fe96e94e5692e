// The commands that a template makes of the values of one record.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/connection.h"
#include "client/load/template.h"

namespace millrace::client {

class TemplateCommands {
 public:
  explicit TemplateCommands(Template as)
      : template_(std::move(as)),
        values_(template_.fields().size()),
        padded_(template_.fields().size()),
        is_plain_(template_.fields().size()) {}

  const std::vector<TemplateField>& fields() const { return template_.fields(); }

  // Whether a record without a value of this field is a good one.
  bool may_be_missing(size_t field) const { return !is_plain_[field] && fields()[field].may_be_missing(); }

  // From now on the field is a name and nothing else, whatever stands in its braces, or it is
  // what it says again.
  void use_plainly(size_t field, bool is_plain) { is_plain_[field] = is_plain; }

  // The value of a field in the record, which borrows; nothing if it has none. The result is
  // what is wrong with it, if anything is. REQUIRES: a value, or a field that may be missing.
  std::optional<std::string> set(size_t field, std::optional<std::string_view> value) {
    const TemplateField& how = template_.fields()[field];
    if (is_plain_[field]) {
      values_[field] = *value;
      return std::nullopt;
    }
    if (!value && how.is_optional) {
      values_[field] = Template::kMissing;
      return std::nullopt;
    }
    const std::string_view text = value ? *value : std::string_view(*how.fallback);
    // An empty text without an address would look like a missing one.
    values_[field] = text.data() == nullptr ? std::string_view("") : text;
    if (!how.padding) return std::nullopt;
    if (auto done = pad(padded_[field], text, how); !done) return done.error().text;
    values_[field] = padded_[field];
    return std::nullopt;
  }

  // Makes the commands of the record. False: nothing is left of them.
  bool make() {
    made_ = template_.fill(values_);
    at_ = 0;
    return !made_.empty();
  }
  // How many there are behind the one that words() is, and on to the next of them.
  size_t left() const { return made_.size() - at_ - 1; }
  void next() { ++at_; }
  Words words() const { return made_[at_]; }

 private:
  Template template_;
  std::vector<std::string_view> values_;
  std::vector<std::string> padded_;
  std::vector<char> is_plain_;
  std::span<const std::vector<std::string_view>> made_;
  size_t at_ = 0;
};

}  // namespace millrace::client
