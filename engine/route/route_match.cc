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
  hits_.clear();
  heard_.clear();
  failed_.clear();
  if (auto good = read(document_, change.document, "DOC"); !good) return good;
  if (auto good = read(old_, change.old, "OLD"); !good) return good;
  patterns_ = change.about.patterns();
  origin_ = change.origin ? table.find_device(*change.origin) : DeviceSlot::none();
  channels_.clear();
  const uint64_t sides = uint64_t{exists()} + uint64_t{existed()};
  uint64_t evaluations = 0;
  for (const RouteChannel& pattern : patterns_) {
    channels_.push_back(table.find_channel(pattern.key()));
    if (channels_.back().is_some() && table.channels_[channels_.back()].filters != nullptr) evaluations += sides;
  }
  regex_work_left_ = kMostRegexWork;
  for (size_t i = 0; i < patterns_.size(); ++i) {
    if (channels_[i].is_none()) continue;
    const ChannelEntry& channel = table.channels_[channels_[i]];
    const auto pattern = static_cast<uint8_t>(i);
    hit_everything(channel, pattern);
    if (channel.filters == nullptr) continue;
    const size_t first = hits_.size();
    if (exists()) hit_filters(table, channels_[i], pattern, true, regex_work_left_ / evaluations--);
    if (existed()) hit_filters(table, channels_[i], pattern, false, regex_work_left_ / evaluations--);
    if (exists() && existed()) merge_hits(first);
  }
  forget_large_documents(change);
  if (++table.match_number_ == 0) {
    for (DeviceMark& mark : table.marks_) mark.match = 0;
    table.match_number_ = 1;
  }
  last_device_ = end_of_page(table, change);
  for (uint32_t i = 0; i < hits_.size(); ++i) add(table, i, change, now);
  std::ranges::stable_sort(found_, {}, &Found::transport);
  return {};
}

void RouteMatcher::count(const RouteTable& table, UnixMs now) const {
  ++table.matches_;
  for (ChannelSlot slot : channels_) {
    if (slot.is_some()) table.top_.count(slot, ++table.channels_[slot].heard);
  }
  for (const Found& found : found_) ++table.transports_[found.transport].matched;
  for (const Failed& each : failed_) table.failing_.count(each.channel, each.filter, each.field, each.trouble, now);
}

// A parser keeps what the largest document needed.
void RouteMatcher::forget_large_documents(const RouteChange& change) {
  constexpr size_t kLarge = 64 * 1024;
  if (change.document && change.document->size() > kLarge) document_.parser = {};
  if (change.old && change.old->size() > kLarge) old_.parser = {};
}

// A subscription to everything matches if the object exists or existed. Without an old document that is every change.
// If neither document exists, there was no change.
void RouteMatcher::hit_everything(const ChannelEntry& channel, uint8_t pattern) {
  const bool is_there = exists() || old_.what == Side::What::NotGiven;
  if (channel.everything.is_none() || (!is_there && !existed())) return;
  hits_.push_back({channel.everything, pattern, is_there, existed()});
}

void RouteMatcher::hit_filters(const RouteTable& table, ChannelSlot slot, uint8_t pattern, bool is_now,
                               uint64_t regex_work) {
  ChannelFilters& filters = *table.channels_[slot].filters;
  filters_.clear();
  regex_work_left_ -= regex_work;
  filters.index().match(is_now ? document_.object : old_.object, values_, regex_work, filters_);
  regex_work_left_ += regex_work;
  for (FilterSlot filter : filters_.matched) {
    hits_.push_back({filters.first_target(filter), pattern, is_now, !is_now});
    __builtin_prefetch(&table.targets_[hits_.back().target]);
  }
  // Targets with a name may share the filter.
  for (size_t i = hits_.size() - filters_.matched.size(); i < hits_.size(); ++i) {
    const RouteTarget& target = table.targets_[hits_[i].target];
    if (target.next_of_filter.is_some()) hits_.push_back({target.next_of_filter, pattern, is_now, !is_now});
    __builtin_prefetch(target.members.data());
  }
  for (const auto& [filter, trouble] : filters_.failed) failed_.push_back({slot, filter, {}, trouble});
  for (FieldId field : values_.too_much()) {
    failed_.push_back({slot, FilterSlot::none(), filters.index().fields().path(field), Trouble::TooManyValues});
  }
}

// A filter that matches both documents is one hit.
void RouteMatcher::merge_hits(size_t first) {
  const auto begin = hits_.begin() + static_cast<ptrdiff_t>(first);
  std::stable_sort(begin, hits_.end(), [](const Hit& a, const Hit& b) { return a.target < b.target; });
  auto kept = begin;
  for (auto at = begin; at != hits_.end(); ++at) {
    if (kept != begin && (kept - 1)->target == at->target) {
      (kept - 1)->matches_now |= at->matches_now;
      (kept - 1)->matched_before |= at->matched_before;
    } else {
      *kept++ = *at;
    }
  }
  hits_.erase(kept, hits_.end());
}

// Pages are in the order of the devices' slots, so that a device with several subscriptions is in one of them.
uint32_t RouteMatcher::end_of_page(const RouteTable& table, const RouteChange& change) {
  next_page_ = 0;
  if (!change.limit) return UINT32_MAX;
  devices_.clear();
  for (const Hit& hit : hits_) {
    for (const Member& member : table.targets_[hit.target].members) {
      if (member.device().value() >= change.after) devices_.push_back(member.device().value());
    }
  }
  if (devices_.size() <= *change.limit) return UINT32_MAX;
  const auto last = devices_.begin() + static_cast<ptrdiff_t>(*change.limit) - 1;
  std::ranges::nth_element(devices_, last);
  const uint32_t end = *last;
  if (std::ranges::any_of(last + 1, devices_.end(), [&](uint32_t each) { return each > end; })) next_page_ = end + 1;
  constexpr size_t kKept = 64 * 1024;
  if (devices_.capacity() > kKept) devices_ = std::vector<uint32_t>();
  return end;
}

void RouteMatcher::add(const RouteTable& table, uint32_t hit, const RouteChange& change, UnixMs now) {
  const Hit& what = hits_[hit];
  const Members& members = table.targets_[what.target].members;
  for (size_t i = 0; i < std::min(members.size(), kAhead); ++i) {
    __builtin_prefetch(&table.marks_[members[i].device().value()]);
  }
  for (size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    const uint32_t number = member.device().value();
    if (number > last_device_ || number < change.after) continue;
    if (i + kAhead < members.size()) __builtin_prefetch(&table.marks_[members[i + kAhead].device().value()]);
    if (table.is_member_dead(member, now) || member.device() == origin_) continue;
    DeviceMark& mark = table.marks_[number];
    const auto at = static_cast<uint32_t>(heard_.size());
    heard_.push_back({hit, at});
    if (mark.match != table.match_number_) {
      mark.match = table.match_number_;
      mark.found_at = static_cast<uint32_t>(found_.size());
      found_.push_back({.device = member.device(), .transport = mark.transport, .first = at, .last = at});
      // The caller will need its id.
      __builtin_prefetch(mark.id);
    }
    Found& found = found_[mark.found_at];
    found.matches_now |= what.matches_now;
    found.matched_before |= what.matched_before;
    heard_[found.last].next = at;
    found.last = at;
  }
}

std::optional<Meaning> RouteMatcher::meaning(bool matches_now, bool matched_before) const {
  if (old_.what == Side::What::NotGiven) return std::nullopt;
  if (!exists() && existed()) return Meaning::Delete;
  if (!matched_before) return Meaning::Enter;
  return matches_now ? Meaning::Update : Meaning::Leave;
}

}  // namespace millrace
