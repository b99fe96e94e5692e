// The documents that were written last, up to a thousand. A write is appended in O(1); those that were written several
// times are united when the list is three times as long.
#pragma once

#include <vector>

#include "engine/index/index_ids.h"

namespace millrace {

class RecentDocuments {
 public:
  static constexpr size_t kMost = 1000;

  void note(DocumentId id);
  // The document has gone: its id may soon be another's. O(kMost)
  void forget(DocumentId id);
  // Up to `most`, the last one first, each once.
  std::vector<DocumentId> list(size_t most) const;

  size_t memory() const { return written_.capacity() * sizeof(DocumentId); }

 private:
  std::vector<DocumentId> written_;  // the last one last; none() for those that have gone
};

}  // namespace millrace
