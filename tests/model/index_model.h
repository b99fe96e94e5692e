// The simplest model of an index: documents in a map, all searches linear.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/index/document_values.h"
#include "engine/index/index_requests.h"
#include "engine/index/index_schema.h"

namespace millrace::testing {

using ModelValue = std::variant<int64_t, double, std::string>;

// A word as a value of a field; nullopt if it does not fit.
inline std::optional<ModelValue> model_value(const IndexField& field, const std::string& word) {
  if (field.type == FieldType::Text) {
    std::string text = word;
    if (field.ignores_case) {
      std::ranges::transform(text, text.begin(),
                             [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    }
    return text;
  }
  const char* end = word.data() + word.size();
  int64_t whole = 0;
  double number = 0;
  if (field.type == FieldType::Integer) {
    const auto parsed = std::from_chars(word.data(), end, whole);
    if (parsed.ec == std::errc() && parsed.ptr == end) return whole;
    return std::nullopt;
  }
  const auto parsed = std::from_chars(word.data(), end, number);
  if (parsed.ec == std::errc() && parsed.ptr == end) return number;
  return std::nullopt;
}

struct ModelDocument {
  std::map<std::string, std::string> words;  // as in the hash
  std::optional<UnixMs> expires_at;
};

class IndexModel {
 public:
  std::vector<IndexField> fields;
  std::vector<CompositeOrder> orders;
  std::map<std::string, ModelDocument> documents;
  std::vector<std::string> written;  // the document written last is at the end; each is in it once
  // The document that has a value of a unique field, then those that wait for it.
  std::map<std::pair<std::string, ModelValue>, std::vector<std::string>> lines;

  const IndexField& field(const std::string& name) const { return *std::ranges::find(fields, name, &IndexField::name); }

  // Values that fit the field, each once.
  std::set<ModelValue> raw_values(const ModelDocument& document, const IndexField& of) const {
    std::set<ModelValue> values;
    const auto word = document.words.find(of.name);
    if (word == document.words.end()) return values;
    for (const std::string& part : split(word->second, of.separator)) {
      if (const auto value = model_value(of, part)) values.insert(*value);
    }
    return values;
  }
  // Without unique values that another document has.
  std::set<ModelValue> values(const std::string& name, const IndexField& of) const {
    std::set<ModelValue> own = raw_values(documents.at(name), of);
    if (of.is_unique) {
      std::erase_if(own, [&](const ModelValue& value) { return lines.at({of.name, value}).front() != name; });
    }
    return own;
  }

  void set(const std::string& name, ModelDocument document) {
    const ModelDocument old = documents.contains(name) ? documents.at(name) : ModelDocument();
    documents[name] = std::move(document);
    follow(name, old, documents[name]);
    std::erase(written, name);
    written.push_back(name);
  }
  void remove(const std::string& name) {
    follow(name, documents.at(name), {});
    documents.erase(name);
    std::erase(written, name);
  }

  bool is_visible(const std::string& name, UnixMs now) const {
    const auto& date = documents.at(name).expires_at;
    return !date || *date >= now;
  }

  bool meets(const std::string& name, const FieldCondition& condition) const {
    using enum FieldCondition::Operator;
    const IndexField& of = field(std::string(condition.field));
    std::vector<ModelValue> operands;
    for (const ByteView word : condition.operands) operands.push_back(*model_value(of, std::string(word)));
    return std::ranges::any_of(values(name, of), [&](const ModelValue& value) {
      switch (condition.relation) {
        case Equal:
          return value == operands[0];
        case Less:
          return value < operands[0];
        case AtMost:
          return value <= operands[0];
        case Greater:
          return value > operands[0];
        case AtLeast:
          return value >= operands[0];
        case Between:
          return value >= operands[0] && value <= operands[1];
        case Prefix:
          return std::get<std::string>(value).starts_with(std::get<std::string>(operands[0]));
        case In:
          return std::ranges::find(operands, value) != operands.end();
      }
      return false;
    });
  }

  std::set<std::string> find(const std::vector<FieldCondition>& where, UnixMs now) const {
    std::set<std::string> found;
    for (const auto& [name, document] : documents) {
      const bool meets_all = std::ranges::all_of(where, [&](const FieldCondition& each) { return meets(name, each); });
      if (meets_all && is_visible(name, now)) found.insert(name);
    }
    return found;
  }

  // How often each text of a field with this prefix occurs.
  std::map<std::string, uint64_t> complete(const std::string& name, const std::string& prefix, UnixMs now) const {
    std::map<std::string, uint64_t> counts;
    for (const auto& [document, held] : documents) {
      if (!is_visible(document, now)) continue;
      for (const ModelValue& value : values(document, field(name))) {
        const std::string& text = std::get<std::string>(value);
        if (text.starts_with(prefix)) ++counts[text];
      }
    }
    return counts;
  }

  // The values of a document for the index.
  DocumentValues told(const std::string& name, const IndexSchema& schema) const {
    DocumentValues values;
    for (const IndexField& of : schema.fields()) {
      const auto word = documents.at(name).words.find(of.name);
      if (word != documents.at(name).words.end()) values.add(of, word->second);
    }
    values.expires_at = documents.at(name).expires_at;
    values.finish();
    return values;
  }

 private:
  static std::vector<std::string> split(const std::string& word, const std::string& separator) {
    if (separator.empty()) return {word};
    std::vector<std::string> parts;
    for (size_t begin = 0; begin <= word.size();) {
      const size_t end = std::min(word.find(separator, begin), word.size());
      if (end > begin) parts.push_back(word.substr(begin, end - begin));
      begin = end + separator.size();
    }
    return parts;
  }

  void follow(const std::string& name, const ModelDocument& old, const ModelDocument& now) {
    for (const IndexField& of : fields) {
      if (!of.is_unique) continue;
      const std::set<ModelValue> had = raw_values(old, of);
      const std::set<ModelValue> has = raw_values(now, of);
      for (const ModelValue& value : had) {
        if (has.contains(value)) continue;
        std::erase(lines[{of.name, value}], name);
      }
      for (const ModelValue& value : has) {
        if (!had.contains(value)) lines[{of.name, value}].push_back(name);
      }
    }
  }
};

}  // namespace millrace::testing
