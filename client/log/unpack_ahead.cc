#include "client/log/unpack_ahead.h"

#include <utility>

namespace millrace::client {

UnpackAhead::UnpackAhead(unsigned threads, std::function<void()> more) : more_(std::move(more)) {
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

UnpackAhead::~UnpackAhead() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::optional<ByteView> UnpackAhead::next() {
  // Plans many blocks at a time, because each call of plan() may wake threads.
  if (planned_ - given_ <= kAhead / 2) {
    plan();
    if (planned_ - given_ < kAhead) {
      more_();
      plan();
    }
  }
  Slot& wanted = slot(given_++);
  while (wanted.state.load(std::memory_order_acquire) != State::Unpacked) {
    // If another thread is unpacking the wanted block, this thread unpacks a later one meanwhile.
    if (const auto number = claim()) {
      unpack(slot(*number), unpacker_);
    } else {
      wanted.state.wait(State::Planned, std::memory_order_acquire);
    }
  }
  if (!wanted.is_good) return std::nullopt;
  return ByteView(wanted.bytes.get(), wanted.block.unpacked);
}

// Assigns free slots to the next packed blocks, until one or the other are used up. The slot of the block that was
// returned last is free again.
void UnpackAhead::plan() {
  uint64_t end = planned_;
  for (FrameBlock block; end - given_ < kAhead && find_packed(block); ++end) {
    Slot& free = slot(end);
    free.block = block;
    free.state.store(State::Planned, std::memory_order_relaxed);
  }
  if (end == planned_) return;
  {
    const std::lock_guard lock(mutex_);
    planned_ = end;
  }
  has_work_.notify_all();
}

// Finds the next packed block of the frames that were added. The rest of an invalid frame is skipped: its reader
// reports the error.
bool UnpackAhead::find_packed(FrameBlock& block) {
  for (;;) {
    while (looked_at_.next_block(block)) {
      if (block.unpacked != 0) return true;
    }
    if (frames_.empty()) return false;
    looked_at_ = millrace::FrameReader(frames_.front());
    frames_.pop_front();
  }
}

// Returns the number of the next block that no thread is unpacking yet, and assigns that block to the caller.
std::optional<uint64_t> UnpackAhead::claim() {
  const std::lock_guard lock(mutex_);
  if (claimed_ == planned_) return std::nullopt;
  return claimed_++;
}

void UnpackAhead::unpack(Slot& slot, BlockUnpacker& unpacker) {
  if (slot.room < slot.block.unpacked) {
    slot.bytes = std::make_unique_for_overwrite<char[]>(slot.block.unpacked);
    slot.room = slot.block.unpacked;
  }
  slot.is_good = unpacker.unpack(slot.block.bytes, slot.bytes.get(), slot.block.unpacked);
  slot.state.store(State::Unpacked, std::memory_order_release);
  slot.state.notify_one();
}

void UnpackAhead::work() {
  BlockUnpacker unpacker;
  std::unique_lock lock(mutex_);
  for (;;) {
    has_work_.wait(lock, [this] { return is_over_ || claimed_ != planned_; });
    if (is_over_) return;
    Slot& claimed = slot(claimed_++);
    lock.unlock();
    unpack(claimed, unpacker);
    lock.lock();
  }
}

}  // namespace millrace::client
