// A plain main for a fuzz target. It runs every file that it is given, then seeded mutations of them. Run number n of a
// seed always has the same input, on every machine.
//
//   fuzz_x [--runs N] [--seed S] file-or-folder...
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/mutation.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);
// Exists only in a build with a sanitizer, which ends the program without a signal.
// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

namespace {

struct Options {
  uint64_t runs = 0;
  uint64_t seed = 1;
  std::vector<std::filesystem::path> files;  // with the files of folders
};

// The current input, so that it can be saved if the program crashes.
std::string crash_file;
std::string input_name;
std::string input;

void keep_input() {
  if (crash_file.empty()) return;
  std::fprintf(stderr, "\n%s failed; the input is kept as %s\n", input_name.c_str(), crash_file.c_str());
  if (std::FILE* file = std::fopen(crash_file.c_str(), "wb")) {
    std::fwrite(input.data(), 1, input.size(), file);
    std::fclose(file);
  }
  crash_file.clear();
}

void on_signal(int number) {
  keep_input();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void keep_input_at_the_end() {
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_input);
  for (int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(number, on_signal);
}

void run(std::string name, std::string bytes) {
  input_name = std::move(name);
  input = std::move(bytes);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "%s\nusage: [--runs N] [--seed S] file-or-folder...\n", why.c_str());
  std::exit(2);
}

Options parse_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--runs" || word == "--seed") {
      if (++i == count) refuse(word + " needs a number");
      (word == "--runs" ? options.runs : options.seed) = std::strtoull(words[i], nullptr, 10);
    } else if (std::filesystem::is_directory(word)) {
      for (const auto& entry : std::filesystem::directory_iterator(word)) options.files.push_back(entry.path());
    } else if (std::filesystem::is_regular_file(word)) {
      options.files.emplace_back(word);
    } else {
      refuse("no such file or folder: " + word);
    }
  }
  std::ranges::sort(options.files);
  if (options.files.empty()) refuse("no inputs to start from");
  return options;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int count, char** words) {
  const Options options = parse_options(count, words);
  crash_file = "crash-" + std::filesystem::path(words[0]).filename().string();
  keep_input_at_the_end();

  std::vector<std::string> inputs;
  for (const auto& path : options.files) {
    inputs.push_back(content(path));
    run(path.string(), inputs.back());
  }
  for (uint64_t number = 0; number < options.runs; ++number) {
    std::mt19937_64 random(options.seed * 1'000'003 + number);
    run("run " + std::to_string(number) + " of seed " + std::to_string(options.seed),
        millrace::fuzz::mutated(inputs, random));
  }
  std::printf("%zu files and %llu mutations\n", inputs.size(), static_cast<unsigned long long>(options.runs));
}
