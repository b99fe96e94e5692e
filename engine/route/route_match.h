// Finds the devices that must hear of a change. Keeps its memory from one change to the
// next; one of them serves all tables.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/filter/document.h"
#include "engine/route/route_table.h"

namespace millrace {

// What was changed, and how it looks. A document that is JSON's null is one that does not exist.
struct RouteChange {
  RouteChannel about;
  std::optional<ByteView> document;
  std::optional<ByteView> old;  // before the change
};

// What a change means to who listens: something has come into sight, has changed, has gone
// out of sight, or has gone.
enum class Meaning : uint8_t { Enter, Update, Leave, Delete };
const char* meaning_name(Meaning meaning);

class RouteMatcher {
 public:
  // What the regular expressions of all filters together may do to one change, in instructions
  // times bytes: some tens of milliseconds at worst.
  static constexpr uint64_t kMostRegexWork = 50'000'000;

  struct Found {
    DeviceSlot device;
    TransportSlot transport;
    // By the document, and by the old one. A device with several subscriptions hears of what
    // any of them lets through.
    bool matches_now = false;
    bool matched_before = false;
    uint8_t channels = 0;  // a bit for each of patterns()
  };

  // Each device once, those of one transport together. Failure: Syntax, for a document that is
  // none; Range, for one that is too much. The result is good until the next call and until the table is changed.
  Result<void> match(const RouteTable& table, const RouteChange& change, UnixMs now);
  // Counts the last match among what ROUTE.INFO shows of the table. match() does not, because its caller may yet refuse
  // the request. REQUIRES: match() of this table succeeded, and its result is still good.
  void count(const RouteTable& table) const;

  std::span<const Found> found() const { return found_; }
  // Calls visit(transport, its devices) for each transport.
  template <class Visit>
  void each_transport(Visit visit) const {
    for (size_t begin = 0, end = 0; begin < found_.size(); begin = end) {
      while (end < found_.size() && found_[end].transport == found_[begin].transport) ++end;
      visit(found_[begin].transport, std::span(found_).subspan(begin, end - begin));
    }
  }
  // The channels on which the change is heard.
  std::span<const RouteChannel> patterns() const { return patterns_; }
  // Nothing if no old document was given.
  std::optional<Meaning> meaning(const Found& found) const;

 private:
  // One of the two documents.
  struct Side {
    enum class What : uint8_t { NotGiven, Missing, Object };
    What what = What::NotGiven;
    DocumentParser parser;
    simdjson::dom::object object;
  };

  static Result<void> read(Side& side, const std::optional<ByteView>& json, const char* name);
  void forget_large_documents(const RouteChange& change);
  void match_channel(const RouteTable& table, const ChannelEntry& channel, uint8_t bit, UnixMs now);
  void match_filters(const RouteTable& table, const ChannelEntry& channel, uint8_t bit, UnixMs now, bool is_now);
  void fetch_targets(const RouteTable& table, const ChannelFilters& filters);
  void add(const RouteTable& table, const RouteTarget& target, UnixMs now, Found what);

  Side document_;
  Side old_;
  FieldValues values_;
  bool is_too_much_ = false;
  std::vector<FilterSlot> filters_;
  std::vector<TargetSlot> targets_;
  std::vector<RouteChannel> patterns_;
  std::vector<ChannelSlot> heard_;  // those of patterns_ that the table has
  std::vector<Found> found_;
};

}  // namespace millrace
