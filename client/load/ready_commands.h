// Inputs that already consist of commands, in the Redis protocol or one in each line. They need no template.
#pragma once

#include "client/load/command_parser.h"
#include "client/load/resp_splitter.h"
#include "client/load/typed_command_splitter.h"

namespace millrace::client {

class RespCommands : public CommandParser {
 public:
  Split take(std::string_view window, bool is_all) override { return splitter_.split(window, is_all); }
  Words words() const override { return splitter_.words(); }
  bool is_protocol() const override { return splitter_.is_protocol(); }

 private:
  RespSplitter splitter_;
};

class TypedCommands : public CommandParser {
 public:
  Split take(std::string_view window, bool is_all) override { return splitter_.split(window, is_all); }
  Words words() const override { return splitter_.words(); }

 private:
  TypedCommandSplitter splitter_;
};

}  // namespace millrace::client
