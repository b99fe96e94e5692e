#include "gateway/net/tls_server.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace millrace::gateway {
namespace {

std::string last_tls_error() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* const reason = ERR_reason_error_string(code);
  return reason == nullptr ? "unknown reason" : reason;
}

// Only HTTP/1.1 is supported: a client that also offers h2 must not use it.
int choose_http_1(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                  unsigned offered_size, void*) {
  static constexpr unsigned char kOurs[] = "\x08http/1.1";
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, size, kOurs, sizeof kOurs - 1, offered, offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

client::Result<TlsContext> load_tls_context(const std::string& certificate, const std::string& key) {
  using client::ErrorCode;
  ERR_clear_error();
  TlsContext context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) return client::fail(ErrorCode::BadInput, "no memory for TLS");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // An idle session gives its buffers back: 34 KB each.
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_http_1, nullptr);
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
    return client::fail(ErrorCode::BadInput, "cannot use the certificate in " + certificate + ": " + last_tls_error());
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return client::fail(ErrorCode::BadInput, "cannot use the private key in " + key + ": " + last_tls_error());
  }
  return context;
}

}  // namespace millrace::gateway
