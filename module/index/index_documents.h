// Documents of the host and the indexes that cover them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/index/document_values.h"
#include "module/abi/context.h"
#include "module/abi/document.h"
#include "module/index/index_registry.h"

namespace millrace::module {

// What the index says of the document, compared with it.
DocumentState compare_document(RegisteredIndex& registered, const abi::DocumentKey& document, ByteView key);

// Makes the index say what the document holds now, or that it is none. True if that was something else before.
bool sync_document(RegisteredIndex& registered, const abi::DocumentKey& document, ByteView key,
                   Noting noting = Noting::Never);

// True while the host loads its file; kept up to date by its events.
inline constinit bool is_loading_documents = false;

// What happened to a key: the listener calls it for every one.
void on_document_changed(abi::Context context, abi::StringRef key, const char* event);

using ShownFields = std::vector<std::optional<std::string>>;

// Reads fields of documents for an answer: of hashes, or the values at paths of JSON documents.
class FieldReader {
 public:
  // Borrows the names for its own lifetime.
  FieldReader(std::span<const ByteView> names, bool is_json);

  // Nothing if it is no document any more.
  std::optional<ShownFields> read(const abi::DocumentKey& document);
  // What was read so far, as kMostShownBytes counts it.
  size_t bytes() const { return bytes_; }

 private:
  std::span<const ByteView> names_;
  bool is_json_;
  std::vector<abi::OwnedString> host_names_;  // of the fields of hashes
  size_t bytes_ = 0;
};

}  // namespace millrace::module
