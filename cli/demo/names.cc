#include "cli/demo/names.h"

namespace millrace::cli::demo {

std::vector<std::string> keys_of_demo() {
  std::vector<std::string> keys;
  for (const char* name : {"orders", "orders:dead", "reminders", "news", "devices", "packing", "packing:dead", "leader",
                           "inventory", "customers", "searches"}) {
    keys.push_back(key(name));
  }
  for (const std::string_view transport : kTransports) keys.push_back(key("to:" + std::string(transport)));
  for (const std::string_view goods : kGoods) keys.push_back(key("stock:" + std::string(goods)));
  for (int number = 1; number <= kCustomers; ++number) keys.push_back(customer(number));
  return keys;
}

}  // namespace millrace::cli::demo
