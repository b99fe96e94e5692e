// Keys of the host's own types as documents: hashes, and strings.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/bytes.h"
#include "engine/base/strong.h"
#include "module/abi/context.h"
#include "module/abi/host.h"

namespace millrace::abi {

// An open document. Opening it does not count as a use of the key: neither its idle time nor statistics change. If the
// key has expired, the host deletes it and sends its event; then there is no document.
class DocumentKey {
 public:
  DocumentKey(Context context, StringRef name)
      : context_(context),
        name_(name),
        key_(host.OpenKey(context.handle(), name.handle(), kRead | kWrite | kNoTouch)) {}
  DocumentKey(const DocumentKey&) = delete;
  DocumentKey& operator=(const DocumentKey&) = delete;
  ~DocumentKey() {
    if (key_ != nullptr) host.CloseKey(key_);
  }

  // False also for a hash without fields: the last one has expired, and the host is about to delete the key. It may
  // send its last event before it does.
  bool is_hash() const { return key_ != nullptr && host.KeyType(key_) == kKeyTypeHash && host.ValueLength(key_) != 0; }
  bool is_string() const { return key_ != nullptr && host.KeyType(key_) == kKeyTypeString; }
  std::optional<UnixMs> expires_at() const;

  // A field of a hash. REQUIRES: is_hash()
  std::optional<OwnedString> field(StringRef name) const;
  // Calls visit(bytes) with the value of a string. REQUIRES: is_string(), and not called in an event of INCR and its
  // like: those commands still use the value, which this may replace by an equal one.
  void string(const std::function<void(ByteView)>& visit) const;

 private:
  Context context_;
  StringRef name_;
  HostKey* key_;
};

// Iterates over the keys of a database, a few at a time, as SCAN does.
class KeyScan {
 public:
  KeyScan() : cursor_(host.ScanCursorCreate()) {}
  KeyScan(const KeyScan&) = delete;
  KeyScan& operator=(const KeyScan&) = delete;
  ~KeyScan() { host.ScanCursorDestroy(cursor_); }

  // Calls visit(name) for some keys of the context's database; false once all keys were visited. `visit` must change
  // nothing.
  bool next(Context context, const std::function<void(ByteView)>& visit);
  // The same for keys of our types only, with the number of the type. Returns how many keys were looked at, and whether
  // there are more.
  struct Looked {
    uint64_t keys = 0;
    bool goes_on = false;
  };
  Looked next_of_ours(Context context, const std::function<void(ByteView, uint8_t)>& visit);

 private:
  HostScanCursor* cursor_;
};

uint64_t database_size(Context context);

// Calls HSET with the key and fields for the client of this command, replicates it, and answers the client.
void hset_and_reply(Context context, std::span<const StringRef> words);

// True if the host drops hash fields that have expired when it loads a file, without an event: Valkey 9.
bool drops_fields_at_loading();

// From now on, the listener is notified of changes of any key.
void watch_documents();

}  // namespace millrace::abi
