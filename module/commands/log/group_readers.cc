#include "module/commands/log/group_readers.h"

#include <list>
#include <map>
#include <string>
#include <unordered_map>

#include "module/abi/blocked_client.h"
#include "module/abi/recorded_reply.h"
#include "module/commands/log/group_delivery.h"
#include "module/commands/log/log_upkeep.h"
#include "module/commands/log/message_writing.h"
#include "module/host/counters.h"
#include "module/host/owed_answers.h"
#include "module/host/role.h"

namespace millrace::module {

namespace {

class WaitingWorker;
using GroupLine = std::list<WaitingWorker*>;
using GroupLines = std::map<std::string, GroupLine, std::less<>>;  // by group
std::unordered_map<DatabaseKey, GroupLines> group_lines;

class WaitingWorker final : public abi::BlockedClient {
 public:
  WaitingWorker(DatabaseKey place, const ReadRequest& request)
      : place_(std::move(place)), group_(request.group->name), request_(request) {
    // The words of the command are gone by the time the answer is written.
    request_.group->name = group_;
    // The group is there by now. If its log is made anew while we wait, nothing in that
    // one was there before us.
    request_.group->at_tail = false;
    if (request.group->consumer) {
      consumer_ = *request.group->consumer;
      request_.group->consumer = consumer_;
    }
    GroupLine& line = group_lines[place_][group_];
    position_ = line.insert(line.end(), this);
    ++counters.log.blocked_readers;
  }

  // False if there is nothing for it.
  bool serve_from(abi::Context context, abi::StringRef key, Log& log) {
    const Delivery delivery = deliver(context, key, log, *request_.group, request_.count);
    if (delivery.empty()) return false;
    left();
    write_delivery(answer_, log, request_, delivery);
    ++counters.log.woken_readers;
    serve();
    return true;
  }

  void dismiss() {
    left();
    is_dismissed_ = true;
    serve();
  }

 private:
  void answer(abi::Reply reply) override {
    if (!is_dismissed_) return answer_.send(reply);
    reply.error({ErrorCode::NoGroup, "the group was dropped while you waited for it"});
  }

  void answer_timeout(abi::Reply reply) override { write_nothing_came(reply, place_, request_.with_info); }

  void key_is_ready(abi::Context context) override { serve_owed_without_effects(context); }

  void left() override {
    const auto key = group_lines.find(place_);
    const auto line = key->second.find(group_);
    line->second.erase(position_);
    if (line->second.empty()) key->second.erase(line);
    if (key->second.empty()) group_lines.erase(key);
    --counters.log.blocked_readers;
  }

  DatabaseKey place_;
  std::string group_;
  std::string consumer_;
  ReadRequest request_;
  GroupLine::iterator position_;
  abi::RecordedReply answer_;
  bool is_dismissed_ = false;
};

GroupLine* line_of(const DatabaseKey& place, ByteView group) {
  const auto key = group_lines.find(place);
  if (key == group_lines.end()) return nullptr;
  const auto line = key->second.find(group);
  return line == key->second.end() ? nullptr : &line->second;
}

}  // namespace

void wait_for_delivery(abi::Context context, abi::StringRef key, const ReadRequest& request) {
  DatabaseKey place{context.database(), std::string(key.view())};
  abi::block(context, key, *request.block_ms, std::make_unique<WaitingWorker>(std::move(place), request));
}

bool group_readers_wait() { return !group_lines.empty(); }
bool group_readers_wait_for(const DatabaseKey& place) { return group_lines.contains(place); }

std::vector<DatabaseKey> keys_with_group_readers() {
  std::vector<DatabaseKey> keys;
  for (const auto& [place, of_key] : group_lines) keys.push_back(place);
  return keys;
}

void serve_group_readers(abi::Context context, const DatabaseKey& place, abi::StringRef key, Log& log) {
  const auto of_key = group_lines.find(place);
  if (of_key == group_lines.end() || !server_decides) return;
  if (abi::replicas_must_rest()) return serve_soon(place);
  std::vector<std::string> groups;
  for (const auto& [group, line] : of_key->second) groups.push_back(group);
  for (const std::string& group : groups) {
    for (GroupLine* line = line_of(place, group); line != nullptr; line = line_of(place, group)) {
      const bool served = line->front()->serve_from(context, key, log);
      settle_groups(log);
      if (!served) break;
    }
    keep_dates_of_group(context, key, log, group);
  }
}

void dismiss_group_readers(const DatabaseKey& place, ByteView group) {
  while (GroupLine* line = line_of(place, group)) line->front()->dismiss();
}

}  // namespace millrace::module
