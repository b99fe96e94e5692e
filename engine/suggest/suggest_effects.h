// The words of the effects that operations on dictionaries tell, as SUG.APPLY has them. Do not change: replicas and
// append-only files of other versions use them.
#pragma once

namespace millrace {

// In the order of SuggestPart.
inline constexpr const char* kSuggestParts[] = {"TERMS"};

}  // namespace millrace
