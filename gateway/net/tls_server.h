// The certificate and key by which the gateway serves TLS.
#pragma once

#include <memory>
#include <string>

#include "client/error.h"

struct ssl_ctx_st;

namespace millrace::gateway {

using TlsContext = std::shared_ptr<ssl_ctx_st>;

// BadInput: a file that cannot be read, or a key that is not the certificate's.
client::Result<TlsContext> load_tls_context(const std::string& certificate, const std::string& key);

}  // namespace millrace::gateway
