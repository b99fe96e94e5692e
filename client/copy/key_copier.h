// Copies keys from one server to another. Most keys are copied as one payload (DUMP and RESTORE), with all their data.
// A log that is too large for that is copied in frames, a large hash in parts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "client/export/key_walk.h"
#include "client/key_connection.h"

namespace millrace::client {

struct CopyOptions {
  bool replaces = false;                // a key that exists at the destination is overwritten
  bool resumes = false;                 // a key that exists there with the same counts is skipped
  uint64_t largest_payload = 64 << 20;  // in bytes; larger keys are copied in parts
};

struct CopiedKey {
  enum class How { Payload, Frames, Parts, ThereAlready };
  How how;
  std::string remark = {};  // for the user: what of the key was not copied; empty: all was
};

class KeyCopier {
 public:
  KeyCopier(const ConnectionOptions& from, const ConnectionOptions& to, CopyOptions options);

  // Copies one key and compares the counts of both servers (size_of_key). If the source was changed during the copy, it
  // is copied again, a few times. REQUIRES: is_copied_type(type). BadInput: the key was refused, exists already, or
  // changes too fast; a part that was copied is removed. Other errors are those of a connection.
  Result<CopiedKey> copy(const std::string& key, const std::string& type);

  // Called with the result for a key. An error ends the copy.
  using Told = std::function<Result<void>(const FoundKey& key, const Result<CopiedKey>& copied)>;
  // The same for several keys, as many as are worth one round trip. The small ones of them share their round trips.
  Result<void> copy_all(std::span<const FoundKey> keys, const Told& told);

 private:
  enum class Side { From, To };
  Result<Reply> ask(Side side, Words words);
  Result<Reply> ask(Side side, std::initializer_list<std::string_view> words) {
    return ask(side, Words(words.begin(), words.size()));
  }
  Result<bool> is_there_already(const std::string& key, const std::string& type);
  Result<bool> is_same(const std::string& key, const std::string& type, const CopiedKey& copied);
  Result<uint64_t> bytes_of(const std::string& key, const std::string& type);
  // Those of the keys that were copied together; all others are to be copied alone.
  struct Together;
  Result<std::vector<Together>> find_small(std::span<const FoundKey> keys);
  Result<void> dump(std::vector<Together>& keys);
  Result<void> restore(std::vector<Together>& keys);
  Result<void> compare(std::vector<Together>& keys);
  Result<CopiedKey> copy_once(const std::string& key, const std::string& type);
  Result<CopiedKey> copy_payload(const std::string& key);
  Result<CopiedKey> copy_frames(const std::string& key);
  Result<CopiedKey> copy_fields(const std::string& key);
  Result<void> copy_retention(const std::string& key);

  KeyConnection from_;
  KeyConnection to_;
  CopyOptions options_;
};

}  // namespace millrace::client
