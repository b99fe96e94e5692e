// Problems that need the attention of a person: the rules by which a node and a key are checked.
#pragma once

#include <string>
#include <vector>

#include "client/reply.h"
#include "gateway/admin/board.h"
#include "gateway/admin/info_text.h"

namespace millrace::gateway {

inline constexpr size_t kMostNeeds = 50;

// The problems of a node; `info` is empty if the node did not answer.
void judge_node(std::vector<Need>& needs, const std::string& address, const InfoText& info);
// Checks the answer of LOCK.WAITS of a node.
void judge_waits(std::vector<Need>& needs, const client::Reply& waits);
// `key` is one item of the reply of MILLRACE.KEYS … WITHINFO.
void judge_key(std::vector<Need>& needs, const client::Reply& key);
// Adds to a group that is stuck which worker holds its oldest message; `pending` is TGROUP PENDING … COUNT 1.
void explain_stuck(Need& need, const client::Reply& pending);
// A log of dead letters with this many messages.
void judge_dead_letters(std::vector<Need>& needs, const std::string& log, int64_t messages, const std::string& key,
                        const std::string& group);

// Sorts the most urgent first, and keeps at most `most`.
void sort_needs(std::vector<Need>& needs, size_t most = kMostNeeds);

void append_needs(std::string& json, const std::vector<Need>& needs);

}  // namespace millrace::gateway
