// The commands that a template makes of the values of one record.
#pragma once

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
      : template_(std::move(as)), values_(fields().size()), padded_(fields().size()), is_plain_(fields().size()) {
    for (size_t i = 0; i < fields().size(); ++i) use_plainly(i, false);
  }

  const std::vector<TemplateField>& fields() const { return template_.fields(); }

  // Whether a record without a value for this field is valid.
  bool may_be_missing(size_t field) const { return !is_plain_[field] && fields()[field].may_be_missing(); }

  // If `is_plain`, the whole text in the braces is used as a name, without options; otherwise as parsed.
  void use_plainly(size_t field, bool is_plain) { is_plain_[field] = is_plain || has_no_use(fields()[field]) ? 1 : 0; }

  // Sets the value of a field, which is borrowed. False: the value is invalid, see problem().
  bool set(size_t field, std::string_view value) {
    values_[field] = value;
    return is_plain_[field] || use(field, value);
  }
  // The record has no value for it. REQUIRES: may_be_missing(field).
  bool set_missing(size_t field) {
    values_[field] = Template::kMissing;
    const TemplateField& how = fields()[field];
    return how.is_optional || set(field, *how.fallback);
  }
  const std::string& problem() const { return problem_; }

  // Makes the commands of the record. False: no command is left.
  bool make() {
    made_ = template_.fill(values_);
    at_ = 0;
    return !made_.empty();
  }
  // left(): how many commands follow the one in words(). next(): moves words() to the next one.
  size_t left() const { return made_.size() - at_ - 1; }
  void next() { ++at_; }
  Words words() const { return made_[at_]; }

 private:
  static bool has_no_use(const TemplateField& field) { return !field.may_be_missing() && !field.padding; }

  bool use(size_t field, std::string_view value) {
    const TemplateField& how = fields()[field];
    if (!how.padding) return true;
    if (auto done = pad(padded_[field], value, how); !done) {
      problem_ = done.error().text;
      return false;
    }
    values_[field] = padded_[field];
    return true;
  }

  Template template_;
  std::vector<std::string_view> values_;
  std::vector<std::string> padded_;
  std::vector<char> is_plain_;  // fields whose value is used as it is
  std::span<const std::vector<std::string_view>> made_;
  size_t at_ = 0;
  std::string problem_;
};

}  // namespace millrace::client
