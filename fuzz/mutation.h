// Makes new inputs from old ones, for fuzz targets without a coverage-guided engine.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace millrace::fuzz {

// Makes one to four changes to one of the inputs: bits, bytes, numbers at their limits, and runs that are removed,
// doubled, or copied from another input. The same random numbers give the same result. REQUIRES: inputs is not empty.
std::string mutated(const std::vector<std::string>& inputs, std::mt19937_64& random);

}  // namespace millrace::fuzz
