// A server that is asked beside others. Its questions are put by a thread of its own, so that a
// server that is far away, or silent, does not keep the others waiting.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "client/lock/lock_server.h"

namespace millrace::client {

class ServerThread {
 public:
  // Asks, and returns how to tell the answer, which is called when the question is over.
  using Question = std::function<std::function<void()>(LockServer&)>;

  explicit ServerThread(LockServer server);
  // What was asked is asked to its end: as long as the server's patience for each question.
  ~ServerThread();
  ServerThread(const ServerThread&) = delete;
  ServerThread& operator=(const ServerThread&) = delete;

  // Puts the question once those before it are answered. It is put in another thread.
  void ask(Question question);

  // Whether a question was not answered yet.
  bool is_busy() const;

  // As it was named.
  const std::string& name() const { return name_; }

 private:
  void answer_all();

  LockServer server_;  // of the thread, once that runs
  std::string name_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Question> questions_;  // the first is under way
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace millrace::client
