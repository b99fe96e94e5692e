#include "gateway/admin/overview.h"

#include "gateway/admin/console_state.h"
#include "gateway/admin/needs.h"
#include "gateway/json/json_text.h"
#include "gateway/routes/answers.h"
#include "gateway/routes/figures.h"

namespace millrace::gateway {
namespace {

std::string number_json(const std::optional<int64_t>& number) { return number ? std::to_string(*number) : "null"; }

// One curve, the newest last; null where there was no sample.
template <class Read>
void append_curve(std::string& json, const char* name, const std::deque<Sample>& samples, Read read) {
  json += std::string(",\"") + name + "\":[";
  for (size_t i = samples.size(); i < kMostSamples; ++i) json += "null,";
  for (const Sample& sample : samples) json += number_json(read(sample)) + ',';
  json.back() = ']';
}

void append_history(std::string& json, const std::deque<Sample>& samples) {
  json += ",\"history\":{\"step\":" + std::to_string(kSampleStepMs) +
          ",\"end\":" + (samples.empty() ? "null" : std::to_string(samples.back().time));
  using Number = std::optional<int64_t>;
  append_curve(json, "in", samples, [](const Sample& sample) { return sample.in; });
  append_curve(json, "out", samples, [](const Sample& sample) { return sample.out; });
  append_curve(json, "acked", samples, [](const Sample& sample) { return sample.acked; });
  append_curve(json, "lag", samples, [](const Sample& sample) { return sample.lag; });
  append_curve(json, "pending", samples, [](const Sample& sample) { return sample.pending; });
  append_curve(json, "dead", samples, [](const Sample& sample) { return sample.dead; });
  append_curve(json, "waiters", samples, [](const Sample& sample) { return Number(sample.waiters); });
  append_curve(json, "memory", samples, [](const Sample& sample) { return Number(sample.memory); });
  append_curve(json, "connections", samples, [](const Sample& sample) { return Number(sample.connections); });
  json += '}';
}

void append_totals(std::string& json, const Board& board, const Sample& last, const Figures& figures) {
  const SweepTotals& totals = board.sweep.totals;
  json += ",\"totals\":{\"keys\":{";
  for (const char* const type : kKeyTypes) {
    if (json.back() != '{') json += ',';
    json += std::string("\"") + type + "\":" + std::to_string(count_of(board, type));
  }
  const auto add = [&](const char* name, const std::optional<int64_t>& value) {
    json += std::string(",\"") + name + "\":" + number_json(value);
  };
  // A figure that no sweep has collected yet is unknown, not 0.
  const bool is_known = board.sweep.ended != 0 || totals.keys > 0;
  const auto add_swept = [&](const char* name, int64_t value) {
    add(name, is_known ? std::optional(value) : std::nullopt);
  };
  json += '}';
  add_swept("lag", totals.lag);
  add_swept("pending", totals.pending);
  // The messages of logs of dead letters are counted at the end of a sweep.
  add("dead", board.sweep.ended != 0 ? std::optional(totals.dead) : std::nullopt);
  add_swept("scheduled", totals.scheduled);
  add("waiters", last.waiters);
  add("memory", last.memory);
  add("memory_limit", board.memory_limit);
  add("connections", figures.connections);
  add("streams", figures.streams);
  add("sockets", figures.sockets);
  json += '}';
}

}  // namespace

Task<Response> show_overview(Services& services, ExchangePtr exchange) {
  Board& board = services.console.board;
  board.asked = steady_ms();
  const std::lock_guard lock(board.mutex);
  const Sample last = board.samples.empty() ? Sample{} : board.samples.back();
  std::string json = "{\"now\":" + std::to_string(last.time) + ",\"uptime\":" + std::to_string(board.uptime);
  json += ",\"rates\":{\"in\":" + number_json(last.in) + ",\"out\":" + number_json(last.out) +
          ",\"acked\":" + number_json(last.acked) + '}';
  append_totals(json, board, last, services.figures);
  const bool was_swept = board.sweep.ended != 0;
  json += ",\"sweep\":{\"done\":" + std::to_string(board.swept) + ",\"of\":" + std::to_string(count_of(board, "")) +
          ",\"age\":" +
          (was_swept ? std::to_string((steady_ms() - board.sweep.ended) / kSampleStepMs * kSampleStepMs) : "null") +
          ",\"building\":" + building_json(board.names_done, board.names_of) + '}';
  std::vector<Need> needs = board.server_needs;
  needs.insert(needs.end(), board.sweep.needs.begin(), board.sweep.needs.end());
  sort_needs(needs);
  json += ",\"needs\":";
  append_needs(json, needs);
  if (exchange->request.parameter("history") != "0") append_history(json, board.samples);
  co_return json_response(json + '}');
}

}  // namespace millrace::gateway
