// The commands that write a record to another server.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/export/record.h"

namespace millrace::client {

class RecordCommands {
 public:
  using Commands = std::span<const std::vector<std::string_view>>;

  // The commands borrow from the record and from this object, until the next call.
  Commands of(const LogRecord& record) {
    // After ENTRIES every word is a tag or an entry. Without it, the tag FRAMED would be read as a keyword.
    return one({"TWRITE", record.key, "ENTRIES", record.tag, record.entry});
  }
  Commands of(const ChannelRecord& record) { return one({"CHAN.PUBLISH", record.key, record.id, record.content}); }
  Commands of(const HashRecord& record) {
    std::vector<std::string_view> words = {"HSET", record.key};
    for (const auto& [name, value] : record.fields) words.insert(words.end(), {name, value});
    commands_.assign(1, words);
    if (record.expires) {
      date_ = std::to_string(*record.expires);
      commands_.push_back({"PEXPIREAT", record.key, date_});
    }
    return commands_;
  }

 private:
  Commands one(const std::vector<std::string_view>& words) {
    commands_.assign(1, words);
    return commands_;
  }

  std::vector<std::vector<std::string_view>> commands_;
  std::string date_;
};

}  // namespace millrace::client
