// A part of the demo (a producer, a worker, a device …) that runs on its own thread.
#pragma once

#include <memory>
#include <vector>

#include "cli/demo/line.h"

namespace millrace::cli::demo {

class Actor {
 public:
  virtual ~Actor() = default;

  // Creates the keys, groups and settings that it needs. Called again when the server has lost them, or may have: what
  // exists is left alone.
  virtual void prepare(Line& line) = 0;

  // Does one step, and returns how long to rest. It waits no longer than a second for the server.
  virtual Milliseconds act(Line& line) = 0;
};

using Cast = std::vector<std::unique_ptr<Actor>>;

// Each adds the actors of its scene.
void add_orders(Cast& cast);
void add_reminders(Cast& cast);
void add_news(Cast& cast);
void add_devices(Cast& cast);
void add_packing(Cast& cast);
void add_stock(Cast& cast);
void add_customers(Cast& cast);
void add_searches(Cast& cast);

// How the messages are divided among the scenes.
inline constexpr double kOrders = 0.40, kReminders = 0.06, kNews = 0.14, kDevices = 0.14, kPacking = 0.16,
                        kCustomerChanges = 0.06, kSearches = 0.04;

}  // namespace millrace::cli::demo
