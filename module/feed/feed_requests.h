// The words of the commands of feeds become requests of the engine, or the first error. A feed is not a key, so its
// name is among the words. The parsers do not depend on the host. The views in a request are borrowed from the words.
#pragma once

#include "engine/base/error.h"
#include "engine/feed/feed_requests.h"
#include "module/words/argument_reader.h"

namespace millrace::module {

// FEED.ADD feed key position|NOTICE
Result<FeedAddRequest> parse_feed_add(Words words);

// FEED.DEL feed key [key ...]
Result<FeedDelRequest> parse_feed_del(Words words);

// FEED.READ feed [MAX messages] [BYTES n] [BLOCK ms]
Result<FeedReadRequest> parse_feed_read(Words words);

// FEED.INFO feed
Result<ByteView> parse_feed_info(Words words);

}  // namespace millrace::module
