#include "client/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

namespace millrace::client {
namespace {

// The text of OpenSSL's last error.
std::string tls_error() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "unknown reason";
  const char* reason = ERR_reason_error_string(code);
  return reason == nullptr ? "error " + std::to_string(code) : reason;
}

bool is_address(const std::string& host) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 || inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

// A filter before OpenSSL's BIO of a socket, which writes without MSG_NOSIGNAL: if the server closed the connection,
// SIGPIPE would end the program.
int write_without_signal(BIO* bio, const char* bytes, int size) {
  const ssize_t sent =
      ::send(static_cast<int>(BIO_get_fd(bio, nullptr)), bytes, static_cast<size_t>(size), MSG_NOSIGNAL);
  BIO_clear_retry_flags(bio);
  if (sent <= 0 && BIO_sock_should_retry(static_cast<int>(sent)) != 0) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int read_next(BIO* bio, char* to, int room) {
  const int got = BIO_read(BIO_next(bio), to, room);
  BIO_clear_retry_flags(bio);
  BIO_copy_next_retry(bio);
  return got;
}

long control_next(BIO* bio, int command, long number, void* pointer) {
  BIO* const next = BIO_next(bio);
  return next == nullptr ? 0 : BIO_ctrl(next, command, number, pointer);
}

BIO_METHOD* filter_method() {
  BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_FILTER, "writes without SIGPIPE");
  BIO_meth_set_write(method, write_without_signal);
  BIO_meth_set_read(method, read_next);
  BIO_meth_set_ctrl(method, control_next);
  return method;
}

// A session over this socket; null if there is no memory.
SSL* session_over(SSL_CTX& context, int socket) {
  static BIO_METHOD* const method = filter_method();
  using Chain = std::unique_ptr<BIO, void (*)(BIO*)>;
  Chain usual(BIO_new_socket(socket, BIO_NOCLOSE), BIO_free_all);
  Chain filter(usual ? BIO_new(method) : nullptr, BIO_free_all);
  SSL* const session = filter ? SSL_new(&context) : nullptr;
  if (session == nullptr) return nullptr;
  BIO* const chain = BIO_push(filter.release(), usual.release());
  SSL_set_bio(session, chain, chain);
  return session;
}

using Context = std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)>;

Result<void> trust(SSL_CTX& context, const TlsOptions& options) {
  if (options.ca_file.empty() && options.ca_folder.empty()) {
    SSL_CTX_set_default_verify_paths(&context);
    return {};
  }
  if (!options.ca_file.empty() && SSL_CTX_load_verify_file(&context, options.ca_file.c_str()) != 1) {
    return fail(ErrorCode::BadInput, "cannot use the CA certificates in " + options.ca_file + ": " + tls_error());
  }
  if (!options.ca_folder.empty() && SSL_CTX_load_verify_dir(&context, options.ca_folder.c_str()) != 1) {
    return fail(ErrorCode::BadInput, "cannot use the CA certificates in " + options.ca_folder + ": " + tls_error());
  }
  return {};
}

Result<void> identify(SSL_CTX& context, const TlsOptions& options) {
  if (options.certificate.empty()) return {};
  if (SSL_CTX_use_certificate_chain_file(&context, options.certificate.c_str()) != 1) {
    return fail(ErrorCode::BadInput, "cannot use the certificate in " + options.certificate + ": " + tls_error());
  }
  const std::string& key = options.key.empty() ? options.certificate : options.key;
  if (SSL_CTX_use_PrivateKey_file(&context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return fail(ErrorCode::BadInput, "cannot use the private key in " + key + ": " + tls_error());
  }
  return {};
}

Result<Context> make_context(const TlsOptions& options) {
  Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (!context) return fail(ErrorCode::Unreachable, "no memory for TLS");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Commands wait in a buffer that moves until they are written.
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (auto trusted = trust(*context, options); !trusted) return std::unexpected(trusted.error());
  if (auto known = identify(*context, options); !known) return std::unexpected(known.error());
  return context;
}

}  // namespace

void TlsSession::Free::operator()(ssl_st* session) const { SSL_free(session); }

Result<TlsSession> TlsSession::begin(const TlsOptions& options, const std::string& host, int socket) {
  ERR_clear_error();
  const auto context = make_context(options);
  if (!context) return std::unexpected(context.error());
  SSL* const made = session_over(**context, socket);
  if (made == nullptr) return fail(ErrorCode::Unreachable, "no memory for TLS");
  TlsSession session(made);
  SSL_set_connect_state(made);
  const std::string& name = options.server_name.empty() ? host : options.server_name;
  // An IP address is not a host name, and must not be sent as one (SNI).
  if (!is_address(name)) SSL_set_tlsext_host_name(made, name.c_str());
  if (options.checks_the_server) {
    SSL_set_verify(made, SSL_VERIFY_PEER, nullptr);
    const int is_set = is_address(name) ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(made), name.c_str())
                                        : SSL_set1_host(made, name.c_str());
    if (is_set != 1) return fail(ErrorCode::BadInput, "'" + name + "' is no name that a certificate could have");
  }
  return session;
}

Result<TlsSession> TlsSession::serve(SSL_CTX& context, int socket) {
  SSL* const made = session_over(context, socket);
  if (made == nullptr) return fail(ErrorCode::Unreachable, "no memory for TLS");
  SSL_set_accept_state(made);
  return TlsSession(made);
}

Transfer TlsSession::shake_hands() {
  ERR_clear_error();
  const int result = SSL_do_handshake(session_.get());
  if (result == 1) return {Transfer::Kind::Done, 1};
  Transfer step = outcome(result);
  if (step.kind == Transfer::Kind::Closed) return {Transfer::Kind::Failed, 0, "the server closed the connection"};
  const long verdict = SSL_get_verify_result(session_.get());
  if (step.kind == Transfer::Kind::Failed && verdict != X509_V_OK) {
    step.why = std::string("its certificate is not accepted: ") + X509_verify_cert_error_string(verdict);
  }
  return step;
}

Transfer TlsSession::read(char* to, size_t room) {
  ERR_clear_error();
  return outcome(SSL_read(session_.get(), to, static_cast<int>(std::min<size_t>(room, INT_MAX))));
}

Transfer TlsSession::write(std::string_view bytes) {
  ERR_clear_error();
  return outcome(SSL_write(session_.get(), bytes.data(), static_cast<int>(std::min<size_t>(bytes.size(), INT_MAX))));
}

void TlsSession::say_farewell() {
  ERR_clear_error();
  SSL_shutdown(session_.get());
}

bool TlsSession::has_buffered() const { return SSL_has_pending(session_.get()) == 1; }

Transfer TlsSession::outcome(int result) {
  if (result > 0) return {Transfer::Kind::Done, static_cast<size_t>(result)};
  const int problem = errno;
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {Transfer::Kind::MustRead};
    case SSL_ERROR_WANT_WRITE:
      return {Transfer::Kind::MustWrite};
    case SSL_ERROR_ZERO_RETURN:
      return {Transfer::Kind::Closed};
    case SSL_ERROR_SYSCALL:
      if (problem == 0) return {Transfer::Kind::Closed};
      return {Transfer::Kind::Failed, 0, std::strerror(problem)};
    default:
      // A server that is killed does not send TLS's closing message.
      if (ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) return {Transfer::Kind::Closed};
      return {Transfer::Kind::Failed, 0, tls_error()};
  }
}

}  // namespace millrace::client
