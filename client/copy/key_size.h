// The size of a key, so that a copy can be compared with the original.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/key_connection.h"

namespace millrace::client {

// Whether keys of this type, as TYPE says it, can be copied: ours, and hashes.
bool is_copied_type(const std::string& type);

// The command that is asked how much a key of this type holds. Empty for types without a count that stays the same: the
// holders of a lock change, and an index is derived from its documents.
std::string_view size_command(const std::string& type);
// How many messages, recipients or fields that is, in the command's answer. REQUIRES: the answer is no error
std::vector<int64_t> size_in(const Reply& answer, const std::string& type);
// Both in one; empty where there is no command. BadInput: the server refuses it.
Result<std::vector<int64_t>> size_of_key(KeyConnection& server, const std::string& key, const std::string& type);

// The value of a field in an answer that is a map. Null: there is no such field.
const Reply* field_in(const Reply& map, std::string_view name);

}  // namespace millrace::client
