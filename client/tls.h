// TLS over a connected socket, by OpenSSL. Nothing here waits: the caller polls the socket.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "client/error.h"

struct ssl_ctx_st;
struct ssl_st;

namespace millrace::client {

struct TlsOptions {
  bool is_on = false;
  std::string ca_file = {};       // certificates to trust, PEM; neither file nor folder: those of the system
  std::string ca_folder = {};     // the same as a folder, named by hash (openssl rehash)
  std::string certificate = {};   // ours, for servers that ask for one, PEM with its chain
  std::string key = {};           // of our certificate; empty: it is in the same file
  std::string server_name = {};   // sent to the server, and looked for in its certificate; empty: the host
  bool checks_the_server = true;  // false: whatever certificate it shows is accepted

  bool operator==(const TlsOptions&) const = default;
};

// What one attempt to read or write without waiting came to.
struct Transfer {
  enum class Kind {
    Done,       // `bytes`, at least one
    MustRead,   // nothing; try again when the socket is readable
    MustWrite,  // nothing; try again when the socket is writable
    Closed,     // by the other side
    Failed,     // because of `why`
  };
  Kind kind;
  size_t bytes = 0;
  std::string why = {};
};

class TlsSession {
 public:
  // Over a connected socket that does not wait. `host` is the name by which the server was
  // found. BadInput: a certificate or key file that is none, or cannot be read.
  static Result<TlsSession> begin(const TlsOptions& options, const std::string& host, int socket);

  // The other side: over a socket that a server has accepted. The handshake is part of the first read.
  static Result<TlsSession> serve(ssl_ctx_st& context, int socket);

  // One step of the handshake. Done: it is complete, and the server is the one that was meant.
  Transfer shake_hands();

  Transfer read(char* to, size_t room);
  Transfer write(std::string_view bytes);

  // Tells the other side that nothing follows, if there is room for that.
  void say_farewell();

  // Whether read() gives something without the socket being readable.
  bool has_buffered() const;

 private:
  struct Free {
    void operator()(ssl_st* session) const;
  };
  explicit TlsSession(ssl_st* session) : session_(session) {}
  Transfer outcome(int result);

  std::unique_ptr<ssl_st, Free> session_;
};

}  // namespace millrace::client
