// The files of the console, which console/embed.mjs writes into a source at build time.
#pragma once

#include <span>
#include <string_view>

namespace millrace::gateway {

struct ConsoleFile {
  std::string_view path;  // below /console/: "screens/keys.js"
  std::string_view type;
  std::string_view etag;  // including its quotation marks
  std::string_view bytes;
  std::string_view packed;  // the same compressed by gzip
};

// Empty: this gateway was built without the console, because node or npm was missing.
std::span<const ConsoleFile> console_files();

}  // namespace millrace::gateway
