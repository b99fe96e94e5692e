#include "cli/export_session.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

namespace millrace::cli {
namespace {

using client::ErrorCode;
using client::Result;

constexpr size_t kWriteAt = 64 << 10;
// How many keys are started in one round trip.
constexpr size_t kTogether = 32;
constexpr client::Milliseconds kWait{1000};
constexpr int kPauseMs = 250;

// The name of an exported type, as for --type; empty for other types.
std::string kind_of(const std::string& type) {
  if (type == "millr-log") return "log";
  if (type == "millr-chn") return "channel";
  return type == "hash" ? "hash" : "";
}

std::string listed(const std::map<std::string, uint64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  return text;
}

}  // namespace

ExportSession::ExportSession(ExportOptions options, std::unique_ptr<client::RecordWriter> writer, std::FILE* to,
                             StopSignal& stop)
    : options_(std::move(options)),
      writer_(std::move(writer)),
      to_(to),
      stop_(stop),
      reader_(options_.server, {[this](const client::LogRecord& record) { return write(record); },
                                [this](const client::ChannelRecord& record) { return write(record); },
                                [this](const client::HashRecord& record) { return write(record); }}) {}

Result<void> ExportSession::run() {
  client::KeyWalk walk(options_.server);
  auto done = walk.each(options_.keys, [this](const client::FoundKey& key) {
    found_.push_back(key);
    return found_.size() < kTogether ? Result<void>() : visit_found();
  });
  if (done) done = visit_found();
  if (done && options_.follows) done = follow();
  if (auto flushed = flush(); done && !flushed) return flushed;
  // Ctrl-C is how a user ends it.
  if (stop_.came()) return {};
  return done;
}

Result<void> ExportSession::visit_found() {
  const auto keys = std::exchange(found_, {});
  if (keys.size() > 1) {
    std::vector<client::FoundKey> wanted;
    std::ranges::copy_if(keys, std::back_inserter(wanted), [this](const auto& key) { return is_wanted(key); });
    if (auto begun = reader_.prefetch(wanted, Offset(options_.from)); !begun) return begun;
  }
  for (const client::FoundKey& key : keys) {
    if (auto visited = visit(key); !visited) return visited;
  }
  return {};
}

bool ExportSession::is_wanted(const client::FoundKey& key) const {
  const std::string kind = kind_of(key.type);
  return !kind.empty() && (options_.type.empty() || kind == options_.type);
}

Result<void> ExportSession::visit(const client::FoundKey& key) {
  if (stop_.came()) return client::fail(ErrorCode::BadInput, "interrupted");
  if (key.type == "none") {
    ++failures_;
    std::fprintf(stderr, "millrace export: there is no key %s\n", key.name.c_str());
    return {};
  }
  const std::string kind = kind_of(key.type);
  if (!is_wanted(key)) {
    ++left_out_[kind.empty() ? key.type : kind];
    if (std::ranges::find(options_.keys, key.name) == options_.keys.end()) return {};
    ++failures_;
    std::fprintf(stderr, "millrace export: %s is a %s\n", key.name.c_str(), key.type.c_str());
    return {};
  }
  Result<void> read;
  if (kind == "log") {
    const auto [place, is_new] = logs_.try_emplace(key.name, client::KeyReader::LogPlace{Offset(options_.from)});
    if (!is_new) return {};
    read = reader_.read_log(key.name, place->second);
  } else if (kind == "channel") {
    const auto [place, is_new] = channels_.try_emplace(key.name, "-");
    if (!is_new) return {};
    read = reader_.read_channel(key.name, place->second);
  } else {
    read = reader_.read_hash(key.name);
  }
  if (!read) return client::fail(read.error().code, key.name + ": " + read.error().text);
  ++exported_[kind];
  return {};
}

// Continues with the logs and channels that are known. A single log is read with a wait; several are asked in turn.
Result<void> ExportSession::follow() {
  const bool may_wait = logs_.size() == 1 && channels_.empty();
  while (!stop_.came()) {
    if (auto flushed = flush(); !flushed) return flushed;
    for (auto& [key, place] : logs_) {
      auto read = reader_.read_log(key, place, may_wait ? std::optional(kWait) : std::nullopt);
      if (!read) return client::fail(read.error().code, key + ": " + read.error().text);
    }
    for (auto& [key, position] : channels_) {
      auto read = reader_.read_channel(key, position);
      if (!read) return client::fail(read.error().code, key + ": " + read.error().text);
    }
    if (may_wait) continue;
    pollfd waited{stop_.descriptor(), POLLIN, 0};
    poll(&waited, 1, kPauseMs);
  }
  return {};
}

template <class Record>
Result<void> ExportSession::write(const Record& record) {
  if (stop_.came()) return client::fail(ErrorCode::BadInput, "interrupted");
  if (auto appended = writer_->append(unwritten_, record); !appended) return appended;
  ++records_;
  return unwritten_.size() < kWriteAt ? Result<void>() : flush();
}

Result<void> ExportSession::flush() {
  const size_t written = std::fwrite(unwritten_.data(), 1, unwritten_.size(), to_);
  if (written != unwritten_.size() || std::fflush(to_) != 0) {
    return client::fail(ErrorCode::Output, std::string("cannot write: ") + std::strerror(errno));
  }
  unwritten_.clear();
  return {};
}

std::string ExportSession::summary() const {
  std::string text = std::to_string(records_) + " records of " + (exported_.empty() ? "no keys" : listed(exported_));
  if (!left_out_.empty()) text += "; left out: " + listed(left_out_);
  return text;
}

}  // namespace millrace::cli
