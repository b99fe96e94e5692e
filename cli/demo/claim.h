// Whose the keys of the demo are. One demo runs on a server at a time: it holds a lock. What it makes is listed in a
// set before it makes it, so that what a killed demo has left can be removed, and nothing else is.
#pragma once

#include <cstddef>
#include <string>

#include "client/error.h"
#include "client/key_connection.h"

namespace millrace::cli::demo {

class Claim {
 public:
  explicit Claim(client::ConnectionOptions server);

  // Takes the lock; waits as long as a demo that was killed keeps it. BadInput: another demo runs, or the server has
  // no module.
  client::Result<void> take();

  // BadInput: keys with the prefix are there that are in no list of a demo.
  client::Result<void> refuse_strangers();

  // Lists our keys. REQUIRES: taken.
  client::Result<void> list_keys();

  // Shows that we are still here. False: the server has lost the lock and everything; take() and list_keys() may give
  // it back.
  client::Result<bool> renew();

  // Removes every key that is listed, in one step, and returns how many there were. REQUIRES: taken.
  client::Result<size_t> remove_all();

  // Gives the lock back, if we hold it.
  void release();

 private:
  client::Result<client::Reply> ask(client::Words words);
  client::Result<client::Reply> ask(std::initializer_list<std::string_view> words) {
    return ask(client::Words(words.begin(), words.size()));
  }

  client::KeyConnection server_;
  const std::string lock_, list_, owner_;
};

}  // namespace millrace::cli::demo
