#include "client/lock/server_thread.h"

#include <csignal>
#include <utility>

namespace millrace::client {

ServerThread::ServerThread(LockServer server) : server_(std::move(server)), name_(server_.endpoint().text()) {
  // A new thread inherits the signal mask of its creator. The program's signals are for the thread that waits for them,
  // so they are blocked here.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { answer_all(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ServerThread::~ServerThread() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ServerThread::ask(Question question) {
  {
    const std::lock_guard lock(mutex_);
    questions_.push_back(std::move(question));
  }
  changed_.notify_one();
}

bool ServerThread::is_busy() const {
  const std::lock_guard lock(mutex_);
  return !questions_.empty();
}

void ServerThread::answer_all() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_over_ || !questions_.empty(); });
    if (questions_.empty()) return;
    const Question& question = questions_.front();  // stays where it is while others are added
    lock.unlock();
    const auto tell = question(server_);
    lock.lock();
    questions_.pop_front();
    lock.unlock();
    if (tell) tell();
    lock.lock();
  }
}

}  // namespace millrace::client
