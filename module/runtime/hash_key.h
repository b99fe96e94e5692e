// The key with which the objects of this process hash names from clients.
#pragma once

#include "engine/base/keyed_hash.h"

namespace millrace::module {

// Random, the same for all families until the process ends; neither saved nor replicated.
const HashKey& hash_key();

}  // namespace millrace::module
