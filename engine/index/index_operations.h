// Everything that can be done with an index as a whole. What it holds follows from the documents: servers that repeat
// are told of the schema, and index their own documents.
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

// What every request but IDX.CREATE gets if the key holds nothing.
std::unexpected<Error> no_index();

// A document that was found, for an answer.
struct ListedDocument {
  std::string key;
  std::vector<std::string> values;  // of the order it was found in, if they are asked for
  std::string place;                // its entry in that order
};
struct ListedDocuments {
  std::optional<IndexCursor> cursor;  // nothing: there are no more
  std::vector<ListedDocument> documents;

  // Leaves the rest, from document `count` on, to the next page. REQUIRES: 0 < count <= documents.size()
  void cut(size_t count);

  IndexCursor any_place;  // a cursor of this search, at no place
};
// Fields of documents that one answer has at most; the first document comes whole. A field counts as some bytes more
// than it has.
inline constexpr size_t kMostShownBytes = 4 * 1024 * 1024;
inline constexpr size_t kShownFieldBytes = 64;

// What is left out, for an answer.
struct ListedSkip {
  std::string key;
  std::optional<std::string> field;  // or the order; nothing: the whole document
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
  // New indexes hash by this key, which clients must not know.
  explicit IndexOperations(const HashKey& key) : key_(key) {}

  // --- changes ---
  // Failure: Exists; what IndexSchema says. The documents that are there already are to be read: Index::work().
  Outcome<Done> create(Place<Index>& place, const CreateIndexRequest& request, const Call& call);
  // An order that is dropped is handed to the caller, to be freed at leisure.
  // Failure: NoIndex; what IndexSchema says.
  Outcome<Index::Order> alter(Place<Index>& place, const AlterIndexRequest& request, const Call& call);
  // A part of an index that was saved (index_parts.h). Failure: Corrupt, and nothing has changed.
  Outcome<Done> apply(Place<Index>& place, const Part& request, const Call& call);

  // --- questions. Failure: NoIndex if `index` is null; Range as IndexQuery says ---
  // A page of the documents that match, in the order that is asked for.
  Result<ListedDocuments> find(const Index* index, const FindRequest& request, UnixMs now) const;
  // How many documents match.
  Result<uint64_t> count(const Index* index, const CountRequest& request, UnixMs now) const;
  // Keys of some documents that match, drawn by the seed.
  Result<std::vector<std::string>> sample(const Index* index, const SampleRequest& request, uint64_t seed,
                                          UnixMs now) const;
  // Keys of the documents that were written last, the newest first.
  Result<std::vector<std::string>> recent(const Index* index, uint64_t count, UnixMs now) const;
  // Values of a field that begin with a prefix.
  Result<std::vector<CompletedValue>> complete(const Index* index, const CompleteRequest& request, UnixMs now) const;
  // Documents that have a UNIQUE value which another one had before.
  Result<std::vector<ListedConflict>> conflicts(const Index* index, uint64_t count) const;
  // What the index does not hold of the documents that it covers, and why.
  Result<std::vector<ListedSkip>> skipped(const Index* index, uint64_t count) const;

  // The keys that have UNIQUE values of a document that is to be written, besides its own. The caller sees to it that
  // those which have expired go, before it asks may_put().
  Result<std::vector<std::string>> holders(const Index* index, const PutDocumentRequest& request) const;
  // Failure: NoIndex; Range if the index does not cover the key, or its documents are no hashes; NotUnique, with the
  // key that has a value; Building if that cannot be known yet.
  Result<void> may_put(const Index* index, const PutDocumentRequest& request) const;

 private:
  HashKey key_;
};

// The key of a document.
std::string document_key(const Index& index, DocumentId id);

}  // namespace millrace
