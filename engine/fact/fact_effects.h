// The words of the effects that operations on graphs tell, as FACT.APPLY has them. Do not change: replicas and
// append-only files of other versions use them.
#pragma once

namespace millrace {

// In the order of FactPart.
inline constexpr const char* kFactParts[] = {"FACTS"};

}  // namespace millrace
