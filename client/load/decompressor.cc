#include "client/load/decompressor.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string>

namespace millrace::client {
namespace {

class GzipDecompressor : public Decompressor {
 public:
  GzipDecompressor() { is_ready_ = inflateInit2(&state_, 15 + 16) == Z_OK; }
  ~GzipDecompressor() override {
    if (is_ready_) inflateEnd(&state_);
  }
  GzipDecompressor(const GzipDecompressor&) = delete;
  GzipDecompressor& operator=(const GzipDecompressor&) = delete;

  Result<Step> step(std::string_view bytes, char* to, size_t room) override {
    if (!is_ready_) return fail(ErrorCode::BadInput, "no memory to decompress it");
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    state_.avail_in = static_cast<uInt>(bytes.size());
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = static_cast<uInt>(std::min<size_t>(room, 1 << 30));
    const uInt wanted = state_.avail_out;
    const int result = inflate(&state_, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_BUF_ERROR && result != Z_STREAM_END) {
      return fail(ErrorCode::BadInput, "the gzip data is damaged");
    }
    Step step{.used = bytes.size() - state_.avail_in, .made = wanted - state_.avail_out};
    step.is_end = result == Z_STREAM_END;
    step.has_more = state_.avail_out == 0 && !step.is_end;
    if (step.is_end) inflateReset(&state_);
    return step;
  }
  const char* name() const override { return "gzip"; }

 private:
  z_stream state_{};
  bool is_ready_ = false;
};

class ZstdDecompressor : public Decompressor {
 public:
  Result<Step> step(std::string_view bytes, char* to, size_t room) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer out{to, room, 0};
    const size_t result = ZSTD_decompressStream(state_.get(), &out, &in);
    if (ZSTD_isError(result) != 0) {
      return fail(ErrorCode::BadInput, std::string("the zstd data is damaged: ") + ZSTD_getErrorName(result));
    }
    Step step{.used = in.pos, .made = out.pos, .is_end = result == 0};
    step.has_more = out.pos == room && !step.is_end;
    return step;
  }
  const char* name() const override { return "zstd"; }

 private:
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> state_{ZSTD_createDStream(), ZSTD_freeDStream};
};

}  // namespace

std::unique_ptr<Decompressor> Decompressor::recognise(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b")) return std::make_unique<GzipDecompressor>();
  if (beginning.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<ZstdDecompressor>();
  return nullptr;
}

}  // namespace millrace::client
