// A server that is asked together with others. It has its own thread, so that a slow or silent server does not delay
// the others.
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
  // Asks the server, and returns a function that delivers the answer; it is called when the question is over.
  using Question = std::function<std::function<void()>(LockServer&)>;

  explicit ServerThread(LockServer server);
  // Finishes the questions that were asked, which takes at most the server's patience for each.
  ~ServerThread();
  ServerThread(const ServerThread&) = delete;
  ServerThread& operator=(const ServerThread&) = delete;

  // Asks the question once earlier ones are answered, in another thread.
  void ask(Question question);

  // Whether a question was not answered yet.
  bool is_busy() const;

  // The name that was given for the server.
  const std::string& name() const { return name_; }

 private:
  void answer_all();

  LockServer server_;  // used only by the thread once it runs
  std::string name_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Question> questions_;  // the first is being asked
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace millrace::client
