#include "engine/index/recent_documents.h"

#include <algorithm>
#include <unordered_set>

namespace millrace {

void RecentDocuments::note(DocumentId id) {
  if (!written_.empty() && written_.back() == id) return;
  if (written_.size() >= 3 * kMost) {
    std::vector<DocumentId> kept = list(kMost);
    std::ranges::reverse(kept);
    written_.assign(kept.begin(), kept.end());
  }
  written_.push_back(id);
}

void RecentDocuments::forget(DocumentId id) { std::ranges::replace(written_, id, DocumentId::none()); }

std::vector<DocumentId> RecentDocuments::list(size_t most) const {
  std::vector<DocumentId> listed;
  std::unordered_set<DocumentId> seen;
  for (auto id = written_.rbegin(); id != written_.rend() && listed.size() < most; ++id) {
    if (id->is_some() && seen.insert(*id).second) listed.push_back(*id);
  }
  return listed;
}

}  // namespace millrace
