#include "engine/route/route_match.h"

#include <algorithm>
#include <string>

namespace millrace {

namespace {

// How many devices of a target are fetched before they are looked at.
constexpr size_t kAhead = 12;

bool is_json_null(ByteView json) {
  constexpr ByteView kSpaces = " \t\r\n";
  const size_t begin = json.find_first_not_of(kSpaces);
  if (begin == ByteView::npos) return false;
  return json.substr(begin, json.find_last_not_of(kSpaces) + 1 - begin) == "null";
}

}  // namespace

const char* meaning_name(Meaning meaning) {
  switch (meaning) {
    case Meaning::Enter:
      return "enter";
    case Meaning::Update:
      return "update";
    case Meaning::Leave:
      return "leave";
    case Meaning::Delete:
      return "delete";
  }
  return "";
}

Result<void> RouteMatcher::read(Side& side, const std::optional<ByteView>& json, const char* name) {
  if (!json || is_json_null(*json)) {
    side.what = json ? Side::What::Missing : Side::What::NotGiven;
    return {};
  }
  auto object = side.parser.parse(*json);
  if (!object) return fail(object.error().code, std::string(name) + ": " + object.error().text);
  side.what = Side::What::Object;
  side.object = *object;
  return {};
}

Result<void> RouteMatcher::match(const RouteTable& table, const RouteChange& change, UnixMs now) {
  found_.clear();
  if (auto good = read(document_, change.document, "DOC"); !good) return good;
  if (auto good = read(old_, change.old, "OLD"); !good) return good;
  patterns_ = change.about.patterns();
  values_.allow_regex_work(kMostRegexWork);
  is_too_much_ = false;
  heard_.clear();
  if (++table.match_number_ == 0) {
    for (DeviceMark& mark : table.marks_) mark.match = 0;
    table.match_number_ = 1;
  }
  for (size_t i = 0; i < patterns_.size(); ++i) {
    const ChannelSlot slot = table.find_channel(patterns_[i].key());
    if (slot.is_none()) continue;
    heard_.push_back(slot);
    match_channel(table, table.channels_[slot], static_cast<uint8_t>(1 << i), now);
  }
  forget_large_documents(change);
  if (is_too_much_) {
    return fail(ErrorCode::Range, "a document with more than " + std::to_string(FieldValues::kMaxValues) +
                                      " values in fields that filters look at");
  }
  if (values_.has_run_out_of_regex_work()) {
    return fail(ErrorCode::Range, "the regular expressions of these channels' filters are too much work");
  }
  std::ranges::stable_sort(found_, {}, &Found::transport);
  return {};
}

void RouteMatcher::count(const RouteTable& table) const {
  ++table.matches_;
  for (ChannelSlot slot : heard_) table.top_.count(slot, ++table.channels_[slot].heard);
  for (const Found& found : found_) ++table.transports_[found.transport].matched;
}

// A parser keeps what the largest document needed.
void RouteMatcher::forget_large_documents(const RouteChange& change) {
  constexpr size_t kLarge = 64 * 1024;
  if (change.document && change.document->size() > kLarge) document_.parser = {};
  if (change.old && change.old->size() > kLarge) old_.parser = {};
}

void RouteMatcher::match_channel(const RouteTable& table, const ChannelEntry& channel, uint8_t bit, UnixMs now) {
  if (channel.everything.is_some()) {
    // Who hears everything hears of what there is and was. Without any old document that is all
    // changes; from nothing to nothing there was none.
    const bool existed = old_.what == Side::What::Object;
    const bool exists = document_.what == Side::What::Object || old_.what == Side::What::NotGiven;
    if (!exists && !existed) return;
    add(table, table.targets_[channel.everything], now,
        {.matches_now = exists, .matched_before = existed, .channels = bit});
  }
  if (channel.filters == nullptr) return;
  if (document_.what == Side::What::Object) match_filters(table, channel, bit, now, true);
  if (old_.what == Side::What::Object) match_filters(table, channel, bit, now, false);
}

void RouteMatcher::match_filters(const RouteTable& table, const ChannelEntry& channel, uint8_t bit, UnixMs now,
                                 bool is_now) {
  const FilterIndex& index = channel.filters->index();
  if (!values_.extract(is_now ? document_.object : old_.object, index.fields())) is_too_much_ = true;
  filters_.clear();
  index.match(values_, filters_);
  fetch_targets(table, *channel.filters);
  for (TargetSlot slot : targets_) {
    add(table, table.targets_[slot], now, {.matches_now = is_now, .matched_before = !is_now, .channels = bit});
  }
}

// The targets of the filters, and what will be needed of each: fetched for all of them at
// once, where one after the other would be waited for.
void RouteMatcher::fetch_targets(const RouteTable& table, const ChannelFilters& filters) {
  targets_.clear();
  for (FilterSlot filter : filters_) {
    targets_.push_back(filters.first_target(filter));
    __builtin_prefetch(&table.targets_[targets_.back()]);
  }
  for (size_t i = 0; i < targets_.size(); ++i) {
    const RouteTarget& target = table.targets_[targets_[i]];
    if (target.next_of_filter.is_some()) targets_.push_back(target.next_of_filter);
    __builtin_prefetch(target.members.data());
  }
  for (TargetSlot slot : targets_) {
    const Members& members = table.targets_[slot].members;
    for (size_t i = 0; i < std::min(members.size(), kAhead); ++i) {
      __builtin_prefetch(&table.marks_[members[i].device().value()]);
    }
  }
}

void RouteMatcher::add(const RouteTable& table, const RouteTarget& target, UnixMs now, Found what) {
  const Members& members = target.members;
  for (size_t i = 0; i < members.size(); ++i) {
    if (i + kAhead < members.size()) __builtin_prefetch(&table.marks_[members[i + kAhead].device().value()]);
    const Member& member = members[i];
    if (table.is_member_dead(member, now)) continue;
    DeviceMark& mark = table.marks_[member.device().value()];
    if (mark.match != table.match_number_) {
      mark.match = table.match_number_;
      mark.found_at = static_cast<uint32_t>(found_.size());
      found_.push_back({.device = member.device(), .transport = mark.transport});
      // Whoever asked will want its id.
      __builtin_prefetch(mark.id);
    }
    Found& found = found_[mark.found_at];
    found.matches_now |= what.matches_now;
    found.matched_before |= what.matched_before;
    found.channels |= what.channels;
  }
}

std::optional<Meaning> RouteMatcher::meaning(const Found& found) const {
  if (old_.what == Side::What::NotGiven) return std::nullopt;
  if (document_.what != Side::What::Object && old_.what == Side::What::Object) return Meaning::Delete;
  if (!found.matched_before) return Meaning::Enter;
  return found.matches_now ? Meaning::Update : Meaning::Leave;
}

}  // namespace millrace
