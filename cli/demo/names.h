// The keys of the demo. All have one prefix, and one hash tag: in a cluster they are in one slot, so that a group may
// have its dead letters, and an index its documents, and one command removes everything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace millrace::cli::demo {

inline constexpr std::string_view kPrefix = "demo:{shop}:";

inline std::string key(std::string_view name) { return std::string(kPrefix) + std::string(name); }

// The lock that the running demo holds.
inline constexpr std::string_view kRunning = "running";
// A set of the names of all keys that a demo makes. It is written before the first key is made, and removed together
// with the keys. So it tells the keys that a killed demo has left from keys of other programs.
inline constexpr std::string_view kMade = "made";

inline constexpr int kCustomers = 120;
inline std::string customer(int number) { return key("customer:" + std::to_string(number)); }

inline constexpr std::string_view kTransports[] = {"websocket", "push", "mail"};
inline constexpr std::string_view kGoods[] = {"lamp", "chair", "table", "shelf", "clock", "vase", "rug", "mirror"};
inline constexpr std::string_view kCities[] = {"Bonn", "Lyon", "Porto", "Turin", "Ghent", "Malmo", "Graz", "Brno"};

// Every key that the demo makes, except the two above.
std::vector<std::string> keys_of_demo();

}  // namespace millrace::cli::demo
