// The commands of a load, file after file, each with its place in the input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/load/command_parser.h"
#include "client/load/input_window.h"

namespace millrace::client {

// A short fingerprint of a file's content before a place: checksums of the first 4096 bytes and of the 64 bytes
// directly before the place, or of fewer if there are fewer. It detects another file.
struct InputTrace {
  uint32_t beginning = 0;
  uint32_t before = 0;

  bool operator==(const InputTrace&) const = default;
};

// A place between two records: the next record begins at this offset of the file's content, in this line, counted from
// 1.
struct InputPosition {
  uint64_t file = 0;  // which of the files, counted from 0
  uint64_t offset = 0;
  uint64_t line = 1;
  std::optional<InputTrace> trace = InputTrace{};  // nullopt: not known

  // Whether it is the same place; the trace is not compared.
  bool operator==(const InputPosition& other) const {
    return file == other.file && offset == other.offset && line == other.line;
  }
};

class CommandSource {
 public:
  enum class Step {
    Command,  // words() is a command
    Bad,      // the record is not a command: see problem()
    Waiting,  // no input is available now: poll descriptor()
    End,
  };

  // The largest record: a quote that is never closed must not use up the memory.
  static constexpr size_t kLongestRecord = size_t{64} << 20;
  static constexpr size_t kLongestProtocol = (size_t{512} << 20) + 4096;

  // Reads nothing yet. REQUIRES: at least one file; "-" is standard input.
  CommandSource(std::vector<std::string> files, std::unique_ptr<CommandParser> parser, size_t longest_record);

  // BadInput: a file does not exist, may not be read, or is a directory.
  Result<void> check_files() const;

  // Moves to the place where an earlier run ended. BadInput: the place no longer exists, or the content before it does
  // not match the trace.
  Result<void> continue_at(const InputPosition& position);

  Step next();

  // The words of the last Command, and its bytes if they are already in the Redis protocol (else empty). Borrowed until
  // the next call of next().
  Words words() const { return parser_->words(); }
  std::string_view protocol() const { return protocol_; }

  // For the last Command or Bad: where its record begins, where the next one begins, and whether the record has further
  // commands.
  const InputPosition& begin() const { return begin_; }
  const InputPosition& end() const { return end_; }
  bool has_another() const { return has_another_; }
  const std::string& problem() const { return problem_; }

  uint64_t files() const { return files_.size(); }
  const std::string& file_name(uint64_t file) const { return files_[file]; }
  int descriptor() const { return window_->stream().descriptor(); }

  // The bytes read from all files, compressed or not. The total is known if all of them are regular files.
  uint64_t bytes_taken() const;
  std::optional<uint64_t> size() const { return size_; }

 private:
  bool open_file();
  void close_file();
  void consume(size_t bytes);
  Result<void> pass_header();
  Result<void> pass_to(uint64_t offset);
  Split look();
  Step take(const Split& split);
  Step report(std::string problem);

  std::vector<std::string> files_;
  std::unique_ptr<CommandParser> parser_;
  size_t longest_record_;
  std::optional<InputWindow> window_;
  bool is_all_ = false;  // the window contains the rest of its file
  bool is_waiting_ = false;
  InputPosition begin_;
  InputPosition end_;
  bool has_another_ = false;
  std::string_view protocol_;
  std::string problem_;
  uint64_t closed_bytes_ = 0;
  std::optional<uint64_t> size_;
};

}  // namespace millrace::client
