// Tells replicas, the append-only file and those who watch a key what an operation has done.
#pragma once

#include <vector>

#include "engine/operation/outcome.h"
#include "module/abi/registration.h"

namespace millrace::module {

// The words of a command that waits, kept from the host: its name first. What views showed of them stays valid.
class HeldArguments {
 public:
  explicit HeldArguments(abi::Arguments arguments);
  // Passes the command on to replicas and the AOF.
  void replicate(abi::Context context) const;

 private:
  std::vector<abi::OwnedString> words_;
};

// `waited` is the request that the effects belong to, if it is not the command that the host is executing.
void tell(abi::Context context, abi::StringRef key, const char* apply, const Consequences& follow,
          const HeldArguments* waited);

}  // namespace millrace::module
