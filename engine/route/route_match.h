// Finds the devices that must get a change, and which subscriptions of each match it. Reuses its memory for the next
// change; one matcher serves all tables.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/filter/document.h"
#include "engine/route/route_table.h"

namespace millrace {

// What was changed, with its documents. JSON null means that the document does not exist.
struct RouteChange {
  RouteChannel about;
  std::optional<ByteView> document;
  std::optional<ByteView> old;     // before the change
  std::optional<ByteView> origin;  // the device that made the change, as device|transport: it is left out
  // A page of at most this many devices, from the cursor that the previous page returned. nullopt: all devices.
  std::optional<uint64_t> limit;
  uint32_t after = 0;
};

// What a change means to a subscription: the object now matches, still matches, no longer matches, or was deleted.
enum class Meaning : uint8_t { Enter, Update, Leave, Delete };
const char* meaning_name(Meaning meaning);

class RouteMatcher {
 public:
  // The most work that the regular expressions of all filters together may do for one change (filter_index.h): some
  // milliseconds at worst. It is divided evenly among the channels and the two documents; what one does not use is
  // available to the next.
  static constexpr uint64_t kMostRegexWork = 1'000'000;

  // A target that matches a change: everything on a channel, or a filter.
  struct Hit {
    TargetSlot target;
    uint8_t pattern = 0;  // index in patterns()
    bool matches_now = false;
    bool matched_before = false;
  };

  struct Found {
    DeviceSlot device;
    TransportSlot transport;
    // Whether the new document, and the old one, match any subscription of the device.
    bool matches_now = false;
    bool matched_before = false;
    // The subscriptions, as a list in heard_.
    uint32_t first = 0;
    uint32_t last = 0;
  };

  // Finds each device once, grouped by transport. A filter that cannot be evaluated does not match; the others are not
  // affected. Failure: Syntax, for an invalid document; Range, for one that is too large. The result is valid until the
  // next call and until the table is changed.
  Result<void> match(const RouteTable& table, const RouteChange& change, UnixMs now);
  // Adds the last match to the counters of ROUTE.INFO. match() does not do that, because its caller may still refuse
  // the request. REQUIRES: match() of this table succeeded, and its result is still valid.
  void count(const RouteTable& table, UnixMs now) const;

  std::span<const Found> found() const { return found_; }
  // Where the next page begins; 0 after the last one.
  uint32_t next_page() const { return next_page_; }
  // Filters that could not be evaluated, and fields with too many values.
  size_t failures() const { return failed_.size(); }
  // Calls visit(transport, its devices) for each transport.
  template <class Visit>
  void each_transport(Visit visit) const {
    for (size_t begin = 0, end = 0; begin < found_.size(); begin = end) {
      while (end < found_.size() && found_[end].transport == found_[begin].transport) ++end;
      visit(found_[begin].transport, std::span(found_).subspan(begin, end - begin));
    }
  }
  // Calls visit(number of the hit) for each subscription of a device that matches the change.
  template <class Visit>
  void each_hit(const Found& found, Visit visit) const {
    for (uint32_t at = found.first;; at = heard_[at].next) {
      visit(heard_[at].hit);
      if (at == found.last) return;
    }
  }
  // REQUIRES: found.first == found.last
  uint32_t only_hit(const Found& found) const { return heard_[found.first].hit; }
  size_t count_hits(const Found& found) const {
    size_t count = 0;
    each_hit(found, [&](uint32_t) { ++count; });
    return count;
  }
  std::span<const Hit> hits() const { return hits_; }
  // The channels on which the change is sent.
  std::span<const RouteChannel> patterns() const { return patterns_; }
  // What the change means to a device, for all its subscriptions together, or to one subscription. nullopt if no old
  // document was given.
  std::optional<Meaning> meaning(const Found& found) const { return meaning(found.matches_now, found.matched_before); }
  std::optional<Meaning> meaning(const Hit& hit) const { return meaning(hit.matches_now, hit.matched_before); }

 private:
  // The state for one of the two documents.
  struct Side {
    enum class What : uint8_t { NotGiven, Missing, Object };
    What what = What::NotGiven;
    DocumentParser parser;
    simdjson::dom::object object;
  };

  struct Heard {
    uint32_t hit;
    uint32_t next;
  };

  struct Failed {
    ChannelSlot channel;
    FilterSlot filter;
    std::string field;
    Trouble trouble;
  };

  static Result<void> read(Side& side, const std::optional<ByteView>& json, const char* name);
  void forget_large_documents(const RouteChange& change);
  std::optional<Meaning> meaning(bool matches_now, bool matched_before) const;
  bool exists() const { return document_.what == Side::What::Object; }
  bool existed() const { return old_.what == Side::What::Object; }
  void hit_everything(const ChannelEntry& channel, uint8_t pattern);
  void hit_filters(const RouteTable& table, ChannelSlot slot, uint8_t pattern, bool is_now, uint64_t regex_work);
  void merge_hits(size_t first);
  // The last device of the page.
  uint32_t end_of_page(const RouteTable& table, const RouteChange& change);
  void add(const RouteTable& table, uint32_t hit, const RouteChange& change, UnixMs now);

  Side document_;
  Side old_;
  FieldValues values_;
  uint64_t regex_work_left_ = 0;
  FilterMatches filters_;
  std::vector<Failed> failed_;
  std::vector<Hit> hits_;
  std::vector<Heard> heard_;
  std::vector<uint32_t> devices_;  // for a page
  std::vector<RouteChannel> patterns_;
  std::vector<ChannelSlot> channels_;  // the table's channel for each pattern; none() if it has none
  std::vector<Found> found_;
  DeviceSlot origin_;
  uint32_t last_device_ = 0;
  uint32_t next_page_ = 0;
};

}  // namespace millrace
