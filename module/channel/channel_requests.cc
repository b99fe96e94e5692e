#include "module/channel/channel_requests.h"

#include "engine/base/limits.h"
#include "engine/channel/channel_parts.h"
#include "module/words/part_words.h"

namespace millrace::module {

namespace {

// The next word as a subscriber's name or a message's id.
ByteView named(ArgumentReader& reader, const char* what) { return reader.name(what, kMaxNameBytes); }

uint64_t expire_time(ArgumentReader& reader) { return reader.number("EXPIRE time", 1, kMaxDurationMs); }

Result<PublishRequest> parse_pairs(Words words) {
  ArgumentReader reader(words);
  do {
    named(reader, "id");
    if (reader.word("content").size() > kMaxPart) reader.fail(ErrorCode::Range, "a content is larger than 512 MiB");
  } while (!reader.at_end());
  return reader.finish(PublishRequest{words});
}

// MAX and MAXBYTES: the limits of one answer.
struct AnswerLimitWords {
  bool max = false;
  bool max_bytes = false;

  // True if the next words are one of them.
  template <class Request>
  bool take(ArgumentReader& reader, Request& request) {
    if (reader.option("MAX", max)) {
      request.max = reader.number("MAX count", 1, kMaxReadCount);
    } else if (reader.option("MAXBYTES", max_bytes)) {
      request.max_bytes = reader.number("MAXBYTES", 1, INT64_MAX);
    } else {
      return false;
    }
    return true;
  }
};

}  // namespace

Result<SubscribeRequest> parse_chan_subscribe(Words words) {
  ArgumentReader reader(words);
  SubscribeRequest request{named(reader, "subscriber"), std::nullopt};
  if (reader.keyword("EXPIRE")) request.expire_ms = expire_time(reader);
  if (!reader.at_end()) reader.unknown_word(request.expire_ms ? "nothing more" : "EXPIRE");
  return reader.finish(request);
}

Result<ByteView> parse_chan_unsubscribe(Words words) {
  ArgumentReader reader(words);
  return reader.finish(named(reader, "subscriber"));
}

Result<PublishRequest> parse_chan_publish(Words words) {
  if (words.size() > 2) return fail(ErrorCode::Syntax, "one id and one content; CHAN.MPUBLISH takes several");
  return parse_pairs(words);
}

Result<PublishRequest> parse_chan_mpublish(Words words) { return parse_pairs(words); }

Result<FetchRequest> parse_chan_fetch(Words words) {
  ArgumentReader reader(words);
  FetchRequest request;
  request.subscriber = named(reader, "subscriber");
  AnswerLimitWords limits;
  bool block = false;
  while (!reader.at_end()) {
    if (limits.take(reader, request)) continue;
    if (reader.option("BLOCK", block)) {
      request.block_ms = reader.number("BLOCK time", 0, kMaxMs);
    } else {
      reader.unknown_word("MAX, MAXBYTES or BLOCK");
    }
  }
  return reader.finish(request);
}

Result<ChannelReadRequest> parse_chan_read(Words words) {
  ArgumentReader reader(words);
  const ByteView text = reader.word("position");
  const auto start = read_channel_start(text);
  if (!start) reader.fail(ErrorCode::BadPosition, quoted(text) + " is no position in a channel, nor $ or -");
  ChannelReadRequest request{.start = start.value_or(ChannelStart())};
  AnswerLimitWords limits;
  while (!reader.at_end()) {
    if (!limits.take(reader, request)) reader.unknown_word("MAX or MAXBYTES");
  }
  return reader.finish(request);
}

Result<ChannelAckRequest> parse_chan_ack(Words words) {
  ArgumentReader reader(words);
  ChannelAckRequest request;
  request.subscriber = named(reader, "subscriber");
  request.receipt = reader.word("receipt");
  return reader.finish(request);
}

Result<SeenRequest> parse_chan_seen(Words words) {
  ArgumentReader reader(words);
  SeenRequest request;
  request.subscriber = named(reader, "subscriber");
  if (!reader.failed()) request.ids = words.subspan(1);
  do {
    named(reader, "id");
  } while (!reader.at_end());
  return reader.finish(request);
}

Result<CreateRequest> parse_chan_create(Words words) {
  ArgumentReader reader(words);
  CreateRequest request;
  bool expire = false;
  bool clock = false;
  while (!reader.at_end()) {
    if (reader.option("EXPIRE", expire)) {
      request.expire_ms = expire_time(reader);
    } else if (reader.option("CLOCK", clock)) {
      request.clock = Clock(reader.signed_number("CLOCK", Clock::kMin, Clock::kMax));
    } else {
      reader.unknown_word("EXPIRE or CLOCK");
    }
  }
  return reader.finish(request);
}

Result<ChannelInfoRequest> parse_chan_info(Words words) {
  ArgumentReader reader(words);
  ChannelInfoRequest request;
  if (!reader.at_end() && !reader.option("FULL", request.full) && !reader.option("SUBSCRIBERS", request.subscribers)) {
    reader.unknown_word("FULL or SUBSCRIBERS");
  }
  if (reader.keyword("COUNT")) request.count = reader.number("COUNT", 1, kMaxReadCount);
  return reader.finish(request);
}

Result<ChannelEffect> parse_chan_apply(Words words) {
  using Kind = ChannelEffect::Kind;
  ArgumentReader reader(words);
  ChannelEffect effect;
  if (reader.keyword(kChannelClock)) {
    effect.clock = UnixMs(reader.number("CLOCK", 0, INT64_MAX));
  } else if (reader.keyword(kChannelTouch)) {
    effect.kind = Kind::Touch;
    effect.bytes = named(reader, "subscriber");
  } else if (const auto part = read_part(reader, kChannelParts)) {
    effect.kind = Kind::Part;
    effect.part = *part;
  } else {
    reader.unknown_word("CREATED, CLOCK, TOUCH, BLOCK, LOGHEAD or SUBSCRIBERS");
  }
  return reader.finish(effect);
}

}  // namespace millrace::module
