// Unpacks the packed blocks of frames before they are needed, in its own threads. The thread that needs a block helps
// instead of waiting, so with one own thread, two threads share the work.
//
// Reading cold messages is mostly unpacking: it takes two thirds of a reader's time.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "client/log/block_unpacker.h"
#include "engine/base/frame_reader.h"

namespace millrace::client {

class UnpackAhead {
 public:
  // `more` is called by next() when the threads will soon have unpacked all blocks of the frames that were added: it
  // may add another. REQUIRES: threads > 0
  UnpackAhead(unsigned threads, std::function<void()> more);
  UnpackAhead(const UnpackAhead&) = delete;
  UnpackAhead& operator=(const UnpackAhead&) = delete;
  ~UnpackAhead();

  // The blocks of this frame come next. Its bytes are borrowed until the last of its blocks was returned by next().
  void add(std::string_view frame) { frames_.push_back(frame); }

  // The records of the next packed block; nullopt if it cannot be unpacked. Valid until the next call.
  // REQUIRES: the frames that were added have another packed block
  std::optional<ByteView> next();

 private:
  // How many blocks are unpacked before they are needed: at most 4 MiB.
  static constexpr size_t kAhead = 32;

  enum class State : uint8_t { Planned, Unpacked };
  struct Slot {
    FrameBlock block;
    std::unique_ptr<char[]> bytes;
    size_t room = 0;
    bool is_good = false;
    std::atomic<State> state = State::Planned;
  };

  Slot& slot(uint64_t number) { return slots_[number % kAhead]; }
  void plan();
  bool find_packed(FrameBlock& block);
  std::optional<uint64_t> claim();
  static void unpack(Slot& slot, BlockUnpacker& unpacker);
  void work();

  const std::function<void()> more_;
  // Only for the reading thread:
  std::deque<std::string_view> frames_;          // frames that were not looked at yet
  millrace::FrameReader looked_at_{ByteView()};  // at first of no frame: it has no blocks
  BlockUnpacker unpacker_;
  uint64_t given_ = 0;  // number of the next block to be returned

  std::array<Slot, kAhead> slots_;
  std::mutex mutex_;  // guards the members below; only the reading thread changes planned_
  std::condition_variable has_work_;
  uint64_t planned_ = 0;  // blocks before this number have a slot
  uint64_t claimed_ = 0;  // blocks before this number are unpacked, or a thread is unpacking them
  bool is_over_ = false;

  std::vector<std::thread> threads_;
};

}  // namespace millrace::client
