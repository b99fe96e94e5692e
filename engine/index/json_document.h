// The values of an index's fields in a JSON document. A field is a path of names with dots between them. Arrays along
// the path and at its end are expanded, so one document may have many values for a field. A null is not a value; true
// and false are texts.
#pragma once

#include <simdjson.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/index/document_values.h"
#include "engine/index/index_schema.h"

namespace millrace {

// Reuses its memory for the next document.
class JsonDocuments {
 public:
  static constexpr size_t kMaxBytes = 1024 * 1024;
  static constexpr size_t kMaxDepth = 64;

  // Adds the values of all fields to `values`. A document that is not JSON, or too large, is skipped as a whole.
  void read(ByteView json, const IndexSchema& schema, DocumentValues& values);

  // The value at each path, in a form for people: a string as it is, everything else as JSON. nullopt if the document
  // has no value there, or is not JSON.
  std::vector<std::optional<std::string>> show(ByteView json, std::span<const ByteView> paths);

 private:
  std::optional<SkipReason> parse(ByteView json, simdjson::dom::element& root);

  simdjson::dom::parser parser_{kMaxBytes};
};

}  // namespace millrace
