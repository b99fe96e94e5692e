// What the doctor finds: each finding says what it is, and what to do.
#pragma once

#include <string>
#include <vector>

namespace millrace::cli::doctor {

struct Finding {
  enum class Weight {
    Problem,  // something does not work, or data is in danger
    Advice,   // it works, but could be configured better
  };
  Weight weight;
  std::string where;  // a key, or a part of the server
  std::string what;
  std::string remedy;
};

using Findings = std::vector<Finding>;

}  // namespace millrace::cli::doctor
