// Reads the records of a log, a channel or a hash, page by page.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/export/key_walk.h"
#include "client/export/record.h"
#include "client/key_connection.h"
#include "engine/base/strong.h"

namespace millrace::client {

// Called for each record, whose bytes are valid until it returns. An error ends reading.
struct RecordTaker {
  std::function<Result<void>(const LogRecord& record)> log;
  std::function<Result<void>(const ChannelRecord& record)> channel;
  std::function<Result<void>(const HashRecord& record)> hash;
};

class KeyReader {
 public:
  KeyReader(const ConnectionOptions& server, RecordTaker taker) : server_(server), taker_(std::move(taker)) {}

  // Asks for the beginning of each of these keys at once. Call it before the keys are read, in this order, each from
  // its start. A key that is not small is requested when it is read.
  Result<void> prefetch(std::span<const FoundKey> keys, Offset from);

  // How far a log was read. Valid for one epoch: a log that was deleted and created again has another one.
  struct LogPlace {
    Offset next{1};
    std::optional<LogEpoch> epoch = {};
  };
  // Reads the messages from `place` on, up to the last one at the time of the call. With `wait`, waits up to this time
  // for the first one. BadInput: the server refuses it.
  Result<void> read_log(const std::string& key, LogPlace& place, std::optional<Milliseconds> wait = {});

  // Reads what was published after `position`; "-" means from the beginning.
  Result<void> read_channel(const std::string& key, std::string& position);

  Result<void> read_hash(const std::string& key);

 private:
  Result<Reply> ask(Words words);
  Result<Reply> ask(std::initializer_list<std::string_view> words) { return ask(Words(words.begin(), words.size())); }
  // Up to `end`; if that is not known, up to the end at the time of the call.
  Result<void> read_frames(const std::string& key, LogPlace& place, std::optional<Offset> end);

  KeyConnection server_;
  RecordTaker taker_;
  std::map<std::vector<std::string>, Reply> prefetched_;  // by the words of the question
};

}  // namespace millrace::client
