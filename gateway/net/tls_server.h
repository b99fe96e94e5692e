// The certificate and key of the gateway for TLS.
#pragma once

#include <memory>
#include <string>

#include "client/error.h"

struct ssl_ctx_st;

namespace millrace::gateway {

using TlsContext = std::shared_ptr<ssl_ctx_st>;

// BadInput: a file cannot be read, or the key does not belong to the certificate.
client::Result<TlsContext> load_tls_context(const std::string& certificate, const std::string& key);

}  // namespace millrace::gateway
