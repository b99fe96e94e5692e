// All indexes of this server, by the prefixes of the keys they cover. Every write to any key looks here first. An index
// is in the registry as long as it is in a database.
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

// The results of a check so far.
struct IndexReport {
  uint64_t checked = 0;  // documents
  uint64_t missing = 0;  // documents that the index does not have
  uint64_t stale = 0;    // documents in the index that do not exist
  uint64_t wrong = 0;    // documents with other values than in the index
  uint64_t repaired = 0;
};

// A pass over the documents of an index and over the keys of its database, in slices.
struct IndexSweep {
  bool repairs = false;
  bool is_check = false;               // a client asked for it
  std::optional<uint32_t> document;    // the next id to look at; nullopt: all were looked at
  bool has_keys = true;                // there are keys of the database left to scan
  std::vector<std::string> keys;       // those that were scanned and are not looked at yet
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
  // True while the host loads a file in which parts of the index are mixed, in any order, with commands that write its
  // documents. (Otherwise the index is complete before the first command.)
  bool is_among_documents = false;
  std::optional<IndexSweep> sweep;
  std::optional<IndexReport> checked;  // report of a finished check that was not returned yet

  bool covers(ByteView key) const;
};

namespace index_registry {

// Registers an index at this place.
RegisteredIndex& add(const DatabaseKey& place, Index* index);
// The same for an index that the host loads from a file, or is about to store there.
void loaded(const DatabaseKey& place, Index* index);
void remove(const DatabaseKey& place);
// The index is freed: removes it, whatever its place.
void forget(const Index& index);
// Null if there is none.
RegisteredIndex* find(const DatabaseKey& place);

// Calls visit(index) for each index that covers the key. visit must not change the registry.
void each_covering(int database, ByteView key, const std::function<void(RegisteredIndex&)>& visit);
// Calls visit(index) for each that is in use.
void each(const std::function<void(RegisteredIndex&)>& visit);
bool is_covered(int database, ByteView key);
uint64_t size();

void follow_swap(int first, int second);
void forget_database(int database);  // -1: all in use
void take_over_staged();
void forget_staged();

}  // namespace index_registry

}  // namespace millrace::module
