// Dead letters: their origin, and sending them back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/http/exchange.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

// The contents of a dead letter's tag.
struct DeadLetter {
  std::string why;  // "attempts", "expired" or "dead"
  int64_t attempts = 0;
  int64_t offset = 0;
  std::string group;
  std::string key;
  std::string tag;  // the tag of the original message
  std::string reason;
};
// nullopt: the tag was not written by a group.
std::optional<DeadLetter> parse_dead_letter(std::string_view tag);

// "dead_of": the groups that write to this log, as far as the last sweep knows.
void add_groups_of_letters(const Services& services, const Exchange& exchange, std::string& json);

Task<Response> read_dead_letters(Services& services, ExchangePtr exchange);
Task<Response> redrive(Services& services, ExchangePtr exchange);

}  // namespace millrace::gateway
