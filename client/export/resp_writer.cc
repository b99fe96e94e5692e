#include "client/export/record_commands.h"
#include "client/export/record_writer.h"
#include "client/protocol.h"

namespace millrace::client {
namespace {

class RespWriter : public RecordWriter {
 public:
  Result<void> append(std::string& to, const LogRecord& record) override { return write(to, commands_.of(record)); }
  Result<void> append(std::string& to, const ChannelRecord& record) override { return write(to, commands_.of(record)); }
  Result<void> append(std::string& to, const HashRecord& record) override { return write(to, commands_.of(record)); }

 private:
  static Result<void> write(std::string& to, std::span<const std::vector<std::string_view>> commands) {
    for (const auto& words : commands) {
      const size_t begin = to.size();
      to.resize(begin + most_protocol_bytes(words));
      const char* end = write_protocol(to.data() + begin, words);
      to.resize(static_cast<size_t>(end - to.data()));
    }
    return {};
  }

  RecordCommands commands_;
};

}  // namespace

std::unique_ptr<RecordWriter> make_resp_writer() { return std::make_unique<RespWriter>(); }

}  // namespace millrace::client
