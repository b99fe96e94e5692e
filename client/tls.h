// TLS over a connected socket, by OpenSSL. No function blocks: the caller polls the socket.
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
  std::string ca_file = {};       // trusted certificates, PEM; without file and folder: those of the system
  std::string ca_folder = {};     // the same as a folder, named by hash (openssl rehash)
  std::string certificate = {};   // client certificate, for servers that ask for one, PEM with its chain
  std::string key = {};           // key of the client certificate; empty: in the same file
  std::string server_name = {};   // sent to the server, and checked in its certificate; empty: the host
  bool checks_the_server = true;  // false: any certificate is accepted

  bool operator==(const TlsOptions&) const = default;
};

// The result of one non-blocking read or write.
struct Transfer {
  enum class Kind {
    Done,       // `bytes`, at least one
    MustRead,   // nothing; try again when the socket is readable
    MustWrite,  // nothing; try again when the socket is writable
    Closed,     // closed by the other side
    Failed,     // failed because of `why`
  };
  Kind kind;
  size_t bytes = 0;
  std::string why = {};
};

class TlsSession {
 public:
  // For a connected non-blocking socket. `host` is the server's name. BadInput: a certificate or key file is invalid or
  // cannot be read.
  static Result<TlsSession> begin(const TlsOptions& options, const std::string& host, int socket);

  // The server side, for an accepted socket. The handshake is part of the first read.
  static Result<TlsSession> serve(ssl_ctx_st& context, int socket);

  // One step of the handshake. Done: it is complete, and the server's certificate is valid for its name.
  Transfer shake_hands();

  Transfer read(char* to, size_t room);
  Transfer write(std::string_view bytes);

  // Sends a close notification to the other side, if that is possible without waiting.
  void say_farewell();

  // Whether read() returns bytes although the socket is not readable.
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
