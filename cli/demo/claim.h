// Which keys belong to the demo. One demo runs on a server at a time, because it holds a lock. It lists its keys in a
// set before it creates them. So the keys that a killed demo has left can be removed, and no others are.
#pragma once

#include <cstddef>
#include <string>

#include "client/error.h"
#include "client/key_connection.h"

namespace millrace::cli::demo {

class Claim {
 public:
  explicit Claim(client::ConnectionOptions server);

  // Takes the lock; waits until the lease of a demo that was killed is over. BadInput: another demo runs, or the server
  // has no module.
  client::Result<void> take();

  // BadInput: there is a key with the demo's prefix that no demo has listed.
  client::Result<void> refuse_strangers();

  // Lists our keys. REQUIRES: taken.
  client::Result<void> list_keys();

  // Renews the lock. False: the server has lost the lock or the list; take() and list_keys() may restore them.
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
