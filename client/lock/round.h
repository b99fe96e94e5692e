// One request to several servers at the same time, and their answers as they arrive.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "client/lock/server_thread.h"

namespace millrace::client {

// By server, in the order of the span; nullopt: not answered yet.
template <class Answer>
using Answers = std::vector<std::optional<Result<Answer>>>;

// Asks each server, and returns when all have answered; or when `is_enough(answers)` is true and the others have had
// `grace` since then; or at `deadline`. Servers without an answer then count as failed (TimedOut). Their requests
// continue in the background, and the late answers are ignored. A server that is still busy with an earlier request is
// not asked, and counts as not answered in time.
//
// `question` is called in other threads and may outlive this call; `is_enough` is called in this thread.
template <class Answer, class Question, class IsEnough>
Answers<Answer> ask_all(std::span<ServerThread* const> servers, Question question, IsEnough is_enough, Moment deadline,
                        Milliseconds grace = Milliseconds(0)) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    Answers<Answer> answers;
    size_t open = 0;
  };
  const auto shared = std::make_shared<Shared>();
  shared->answers.resize(servers.size());
  std::unique_lock lock(shared->mutex);
  const auto is_late = [&](size_t i) {
    return fail(ErrorCode::TimedOut, servers[i]->name() + " did not answer in time");
  };
  for (size_t i = 0; i < servers.size(); ++i) {
    if (servers[i]->is_busy()) {
      shared->answers[i] = is_late(i);
      continue;
    }
    ++shared->open;
    servers[i]->ask([shared, question, i](LockServer& server) {
      return [shared, i, answer = Result<Answer>(question(server))] {
        const std::lock_guard held(shared->mutex);
        shared->answers[i] = answer;
        --shared->open;
        shared->changed.notify_one();
      };
    });
  }
  const auto is_decided = [&] { return shared->open == 0 || is_enough(std::as_const(shared->answers)); };
  if (shared->changed.wait_until(lock, deadline, is_decided)) {
    shared->changed.wait_until(lock, std::min(deadline, std::chrono::steady_clock::now() + grace),
                               [&] { return shared->open == 0; });
    return shared->answers;
  }
  Answers<Answer> answers = shared->answers;
  for (size_t i = 0; i < servers.size(); ++i) {
    if (!answers[i]) answers[i] = is_late(i);
  }
  return answers;
}

}  // namespace millrace::client
