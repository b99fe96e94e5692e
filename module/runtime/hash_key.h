// What the objects of this process hash the names of clients by.
#pragma once

#include "engine/base/keyed_hash.h"

namespace millrace::module {

// Random, the same for all families until the process ends; neither saved nor replicated.
const HashKey& hash_key();

}  // namespace millrace::module
