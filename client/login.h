// User, password and database. Sent whenever a connection opens.
#pragma once

#include <string>

namespace millrace::client {

struct Login {
  std::string user = {};      // empty: the server's default user
  std::string password = {};  // empty: a user without a password; if the user is empty too: no login
  unsigned database = 0;
};

}  // namespace millrace::client
