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

// Updates the index to the current values of the document, or removes it if it is no longer one. True if the index has
// changed.
bool sync_document(RegisteredIndex& registered, const abi::DocumentKey& document, ByteView key,
                   Noting noting = Noting::Never);

// True while the host loads its data set, documents with it, in place; kept up to date by its events.
inline constinit bool is_loading_documents = false;

// Called by the listener for every event of a key.
void on_document_changed(abi::Context context, abi::StringRef key, const char* event);

using ShownFields = std::vector<std::optional<std::string>>;

// Reads fields of documents for an answer: of hashes, or the values at paths of JSON documents.
class FieldReader {
 public:
  // Borrows the names for its own lifetime.
  FieldReader(std::span<const ByteView> names, bool is_json);

  // nullopt if it is no longer a document.
  std::optional<ShownFields> read(const abi::DocumentKey& document);
  // The bytes read so far, as kMostShownBytes counts them.
  size_t bytes() const { return bytes_; }

 private:
  std::span<const ByteView> names_;
  bool is_json_;
  std::vector<abi::OwnedString> host_names_;  // the names of fields of hashes
  size_t bytes_ = 0;
};

}  // namespace millrace::module
