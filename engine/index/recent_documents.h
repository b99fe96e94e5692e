// The documents that were written last, up to a thousand. A write is appended in O(1). Duplicates are removed when the
// list is three times as long.
#pragma once

#include <vector>

#include "engine/index/index_ids.h"

namespace millrace {

class RecentDocuments {
 public:
  static constexpr size_t kMost = 1000;

  void note(DocumentId id);
  // The document was removed, and its id may be reused soon. O(kMost)
  void forget(DocumentId id);
  // Up to `most` documents, the last written first, each once.
  std::vector<DocumentId> list(size_t most) const;

  size_t memory() const { return written_.capacity() * sizeof(DocumentId); }

 private:
  std::vector<DocumentId> written_;  // the last written at the end; none() for removed documents
};

}  // namespace millrace
