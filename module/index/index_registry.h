// All indexes of this server, by the prefixes of the keys they cover: what a write to any key asks first. An index is
// in the registry as long as it is in a database.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/index/index.h"
#include "module/abi/context.h"
#include "module/abi/document.h"
#include "module/runtime/database_key.h"

namespace millrace::module {

// What a check has found so far.
struct IndexReport {
  uint64_t checked = 0;  // documents
  uint64_t missing = 0;  // documents that the index does not have
  uint64_t stale = 0;    // documents of the index that are not there
  uint64_t wrong = 0;    // documents of which it says something else
  uint64_t repaired = 0;
};

// A pass over the documents of an index and over the keys of its database, in slices.
struct IndexSweep {
  bool repairs = false;
  bool is_check = false;               // a client asked for it
  std::optional<uint32_t> document;    // the next id to look at; nothing: all were
  bool has_keys = true;                // looks at the keys of the database, too
  std::unique_ptr<abi::KeyScan> scan;  // of the keys; null: not begun
  uint64_t scanned = 0;
  uint64_t schema_version = 0;
  IndexReport report;
};

struct RegisteredIndex {
  DatabaseKey place;
  Index* index;
  uint16_t slot = 0;  // of its key
  // The names of its fields as the host's strings, for the schema of this version.
  uint64_t schema_version = 0;
  std::vector<abi::OwnedString> field_names;
  // True while the host loads a file in which parts of the index stand among the commands that write its documents, in
  // any order. (Otherwise the index is there as a whole before the first command.)
  bool is_among_documents = false;
  std::optional<IndexSweep> sweep;
  std::optional<IndexReport> checked;  // of a check that is over and has not been shown

  bool covers(ByteView key) const;
};

namespace index_registry {

// The index is in this place now.
RegisteredIndex& add(const DatabaseKey& place, Index* index);
// The same for one that the host loads from a file, or is about to put there.
void loaded(const DatabaseKey& place, Index* index);
void remove(const DatabaseKey& place);
// The index is freed, wherever it is thought to be.
void forget(const Index& index);
// Null if there is none.
RegisteredIndex* find(const DatabaseKey& place);

// Calls visit(index) for each that covers the key. It must not change the registry.
void each_covering(int database, ByteView key, const std::function<void(RegisteredIndex&)>& visit);
// Calls visit(index) for each.
void each(const std::function<void(RegisteredIndex&)>& visit);
bool is_covered(int database, ByteView key);
uint64_t size();

void follow_swap(int first, int second);
void forget_database(int database);  // -1: all

}  // namespace index_registry

}  // namespace millrace::module
