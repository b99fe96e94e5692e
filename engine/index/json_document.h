// The values of an index's fields in a JSON document. A field is a path of names with dots between them; arrays on the
// way and at its end are gone through, so that one document may have many values. Values that are null are none; true
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

// Keeps its memory from one document to the next.
class JsonDocuments {
 public:
  static constexpr size_t kMaxBytes = 1024 * 1024;
  static constexpr size_t kMaxDepth = 64;

  // Adds the values of all fields. A document that is no JSON, or too large, is skipped as a whole.
  void read(ByteView json, const IndexSchema& schema, DocumentValues& values);

  // What a document holds at each path, for people: a string as it is, everything else as JSON. Nothing if it holds
  // nothing there, or is no JSON.
  std::vector<std::optional<std::string>> show(ByteView json, std::span<const ByteView> paths);

 private:
  std::optional<SkipReason> parse(ByteView json, simdjson::dom::element& root);

  simdjson::dom::parser parser_{kMaxBytes};
};

}  // namespace millrace
