// All operations on an index as a whole. Its contents follow from the documents: replicas get only the schema, and
// index their own documents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/keyed_hash.h"
#include "engine/base/parts.h"
#include "engine/index/index.h"
#include "engine/index/index_query.h"
#include "engine/index/index_requests.h"
#include "engine/operation/call.h"
#include "engine/operation/outcome.h"
#include "engine/operation/place.h"

namespace millrace {

// The error of every request except IDX.CREATE if the key does not exist.
std::unexpected<Error> no_index();

// A document that was found, for an answer.
struct ListedDocument {
  std::string key;
  std::vector<std::string> values;  // the values in the order it was found in, if requested
  std::string place;                // its entry in that order
};
struct ListedDocuments {
  std::optional<IndexCursor> cursor;  // nullopt: there are no more
  std::vector<ListedDocument> documents;

  // Leaves the rest, from document `count` on, to the next page. REQUIRES: 0 < count <= documents.size()
  void cut(size_t count);

  IndexCursor any_place;  // a cursor of this search, without a position
};
// The most bytes of document fields in one answer; the first document is always complete. A field counts as some bytes
// more than its size.
inline constexpr size_t kMostShownBytes = 4 * 1024 * 1024;
inline constexpr size_t kShownFieldBytes = 64;

// A value that was left out, for an answer.
struct ListedSkip {
  std::string key;
  std::optional<std::string> field;  // a field or an order; nullopt: the whole document
  SkipReason reason;
};
struct ListedConflict {
  std::string key;
  std::string field;
  std::string value;
  std::string holder;  // the key that has the value
};

class IndexOperations {
 public:
  // New indexes hash with this key, which clients must not know.
  explicit IndexOperations(const HashKey& key) : key_(key) {}

  // --- changes ---
  // Failure: Exists; those of IndexSchema. Existing documents must then be read: Index::work().
  Outcome<Done> create(Place<Index>& place, const CreateIndexRequest& request, const Call& call);
  // Returns the dropped order, if any, which the caller frees in parts.
  // Failure: NoIndex; those of IndexSchema.
  Outcome<Index::Order> alter(Place<Index>& place, const AlterIndexRequest& request, const Call& call);
  // Applies a saved part of an index (index_parts.h). Failure: Corrupt, without any change.
  Outcome<Done> apply(Place<Index>& place, const Part& request, const Call& call);

  // --- queries. Failure: NoIndex if `index` is null; Range as in IndexQuery ---
  // A page of the matching documents, in the requested order.
  Result<ListedDocuments> find(const Index* index, const FindRequest& request, UnixMs now) const;
  // How many documents match.
  Result<uint64_t> count(const Index* index, const CountRequest& request, UnixMs now) const;
  // Keys of some matching documents, drawn at random by the seed.
  Result<std::vector<std::string>> sample(const Index* index, const SampleRequest& request, uint64_t seed,
                                          UnixMs now) const;
  // Keys of the documents that were written last, the newest first.
  Result<std::vector<std::string>> recent(const Index* index, uint64_t count, UnixMs now) const;
  // Values of a field that begin with a prefix.
  Result<std::vector<CompletedValue>> complete(const Index* index, const CompleteRequest& request, UnixMs now) const;
  // Documents with a UNIQUE value that another document already has.
  Result<std::vector<ListedConflict>> conflicts(const Index* index, uint64_t count) const;
  // The values that the index left out of the documents it covers, and why.
  Result<std::vector<ListedSkip>> skipped(const Index* index, uint64_t count) const;

  // The other keys that have UNIQUE values of a document that is about to be written. The caller removes those that
  // have expired before it calls may_put().
  Result<std::vector<std::string>> holders(const Index* index, const PutDocumentRequest& request) const;
  // Failure: NoIndex; Range if the index does not cover the key, or its documents are not hashes; NotUnique, with the
  // key that has the value; Building if the index is not complete yet.
  Result<void> may_put(const Index* index, const PutDocumentRequest& request) const;

 private:
  HashKey key_;
};

// The key of a document.
std::string document_key(const Index& index, DocumentId id);

}  // namespace millrace
