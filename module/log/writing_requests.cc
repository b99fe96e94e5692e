// The parsers of commands that write, schedule and delete.
#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/quoted.h"
#include "module/log/log_requests.h"
#include "module/log/offset_ranges.h"

namespace millrace::module {

namespace {

// [BACKLOG count] [ID id] [AT unix-ms | DELAY ms] ENTRIES | FRAMED frame
void parse_write_options(ArgumentReader& reader, WriteRequest& request) {
  bool backlog = false, id = false, at = false, delay = false;
  while (!reader.failed() && !reader.keyword("ENTRIES")) {
    // The option that clients send with every write is tried first.
    if (reader.option("ID", id)) {
      request.id = reader.name("ID", kMaxNameBytes);
      continue;
    }
    if (reader.keyword("FRAMED")) {
      request.frame = reader.word("frame");
      break;
    }
    if (reader.option("BACKLOG", backlog)) {
      request.backlog = reader.number("BACKLOG count", 0, INT64_MAX);
    } else if (reader.option("AT", at)) {
      request.at = UnixMs(reader.number("AT", 0, kMaxScheduleDate.value()));
    } else if (reader.option("DELAY", delay)) {
      request.delay_ms = reader.number("DELAY", 0, kMaxDelayMs);
    } else {
      reader.unknown_word("BACKLOG, ID, AT, DELAY, ENTRIES or FRAMED");
    }
  }
  if (at && delay) reader.fail(ErrorCode::Syntax, "AT and DELAY exclude each other");
}

// date-number
Ticket parse_ticket(ArgumentReader& reader) {
  const ByteView word = reader.word("ticket");
  const size_t dash = word.find('-');
  const ByteView ends[] = {word.substr(0, dash), dash == word.npos ? ByteView() : word.substr(dash + 1)};
  ArgumentReader parts(ends);
  const Ticket ticket{UnixMs(parts.number("date", 0, kMaxTicketPart)), parts.number("number", 1, kMaxTicketPart)};
  if (parts.failed()) {
    reader.fail(ErrorCode::Range,
                "invalid ticket " + quoted(word) + ": expected one that TWRITE has returned, date-number");
  }
  return ticket;
}

[[gnu::cold]] std::unexpected<Error> part_too_large() {
  return fail(ErrorCode::Range, "a tag or entry is larger than 512 MiB");
}

// ID id ENTRIES tag entry, as a client sends it with every write. Anything else is left to the reader of all options.
bool read_with_id(Words words, WriteRequest& request) {
  if (words.size() != 5 || !is_keyword(words[0], "ID") || !is_keyword(words[2], "ENTRIES")) return false;
  const ByteView id = words[1];
  if (id.empty() || id.size() > kMaxNameBytes || std::max(words[3].size(), words[4].size()) > kMaxPart) return false;
  request.id = id;
  request.pairs = words.subspan(3);
  return true;
}

// TWRITE in its longer form: options, then ENTRIES and the pairs, or a frame.
[[gnu::noinline]] Result<void> read_long_form(Words words, WriteRequest& request) {
  if (read_with_id(words, request)) return {};
  ArgumentReader reader(words);
  parse_write_options(reader, request);
  if (request.frame) {
    if (auto alone = reader.finish(true); !alone) return std::unexpected(std::move(alone.error()));
    return {};
  }
  if (reader.failed()) return reader.error();
  request.pairs = words.subspan(words.size() - reader.left());
  if (request.pairs.empty()) return fail(ErrorCode::Syntax, "ENTRIES needs at least one tag and entry");
  if (request.pairs.size() % 2 != 0) {
    return fail(ErrorCode::Syntax, "ENTRIES needs an entry for every tag: the last tag has none");
  }
  if (std::ranges::any_of(request.pairs, [](ByteView part) { return part.size() > kMaxPart; })) return part_too_large();
  return {};
}

}  // namespace

Result<Parsed<WriteRequest>> parse_twrite(Words words) {
  // One return statement, so that the compiler constructs the request in place (NRVO) instead of copying it.
  Result<Parsed<WriteRequest>> parsed;
  if (words.size() == 2 && !is_keyword(words[0], "FRAMED")) {
    parsed->pairs = words;
    if (std::max(words[0].size(), words[1].size()) > kMaxPart) [[unlikely]] {
      parsed = part_too_large();
    }
  } else if (auto read = read_long_form(words, *parsed); !read) {
    parsed = std::unexpected(std::move(read.error()));
  }
  return parsed;
}

Result<ListScheduleRequest> parse_tsched_list(Words words) {
  ArgumentReader reader(words);
  ListScheduleRequest request;
  bool from = false, count = false;
  while (!reader.at_end()) {
    if (reader.option("FROM", from)) {
      request.from = parse_ticket(reader);
    } else if (reader.option("COUNT", count)) {
      request.count = reader.number("COUNT", 1, kMaxReadCount);
    } else {
      reader.unknown_word("FROM or COUNT");
    }
  }
  if (reader.failed()) return reader.error();
  return request;
}

Result<TicketsRequest> parse_tsched_cancel(Words words) {
  ArgumentReader reader(words);
  TicketsRequest request;
  do {
    request.tickets.push_back(parse_ticket(reader));
  } while (!reader.at_end());
  if (reader.failed()) return reader.error();
  return request;
}

Result<TicketsRequest> parse_tsched_now(Words words) { return parse_tsched_cancel(words); }

Result<DeleteRequest> parse_tdel(Words words) {
  ArgumentReader reader(words);
  DeleteRequest request;
  if (reader.keyword("TAGS")) {
    request.tags = parse_tags(reader);
    return reader.finish(request);
  }
  request.ranges = without_repetition(parse_ranges(reader));
  if (reader.failed()) return reader.error();
  return request;
}

}  // namespace millrace::module
