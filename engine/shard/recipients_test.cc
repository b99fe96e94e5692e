#include "engine/shard/recipients.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "engine/shard/recipient_lists.h"

namespace millrace {
namespace {

const HashKey kKey{1, 2, 3};

TEST(Recipients, AreFoundByTheirNamesAndKeepTheirNumbers) {
  Recipients recipients(kKey);
  EXPECT_EQ(recipients.find("ann"), RecipientId::none());
  const RecipientId ann = recipients.add("ann");
  const Recipient* at = &recipients[ann];
  for (int i = 0; i < 5000; ++i) recipients.add("recipient " + std::to_string(i));
  EXPECT_EQ(recipients.size(), 5001u);
  EXPECT_EQ(recipients.find("ann"), ann);
  EXPECT_EQ(&recipients[ann], at) << "it has moved in memory";
  EXPECT_EQ(recipients[recipients.find("recipient 4999")].name(), "recipient 4999");
  EXPECT_EQ(recipients.find("recipient 5000"), RecipientId::none());
  EXPECT_EQ(recipients.check(), nullptr);
}

TEST(Recipients, AnyBytesAreAName) {
  Recipients recipients(kKey);
  const std::vector<std::string> names = {std::string(1, '\0'), std::string(2, '\0'), "\xff\n", std::string(512, 'x'),
                                          std::string(511, 'x')};
  std::set<RecipientId> ids;
  for (const std::string& name : names) ids.insert(recipients.add(name));
  EXPECT_EQ(ids.size(), names.size());
  for (const std::string& name : names) EXPECT_EQ(recipients[recipients.find(name)].name(), name);
  EXPECT_EQ(recipients.find(""), RecipientId::none());
  EXPECT_EQ(recipients.check(), nullptr);
}

TEST(Recipients, AreVisitedInTheOrderInWhichTheyCame) {
  Recipients recipients(kKey);
  std::vector<std::string> added, visited;
  for (size_t i = 0; i < 3000; ++i) {
    added.push_back(std::to_string(i) + std::string(i * i % 500, 'x'));
    recipients.add(added.back());
  }
  recipients.each([&](const Recipient& recipient) { visited.emplace_back(recipient.name()); });
  EXPECT_EQ(visited, added);
}

TEST(Recipients, ANumberFromOutsideIsARecipientOnlyIfItWasGivenOut) {
  Recipients recipients(kKey);
  EXPECT_FALSE(recipients.contains(RecipientId(0)));
  std::set<RecipientId> ids = {recipients.add("ann")};
  // The bytes of "ann" repeated, as if this recipient began inside of others.
  const std::string ann(reinterpret_cast<const char*>(&recipients[*ids.begin()]), sizeof(Recipient) + 8);
  for (int i = 0; i < 200; ++i) {
    std::string forged = std::to_string(i);
    forged.resize(8 + forged.size() % 8, ' ');
    while (forged.size() + ann.size() < 512) forged += ann;
    ids.insert(recipients.add(forged));
  }
  ids.insert(recipients.add("the last"));
  for (uint32_t number = 0; number < 1'000'000; ++number) {
    const RecipientId id(number);
    ASSERT_EQ(recipients.contains(id), ids.contains(id)) << number;
  }
  EXPECT_FALSE(recipients.contains(RecipientId::none()));
  EXPECT_FALSE(recipients.contains(RecipientId(UINT32_MAX - 1)));
}

TEST(Recipients, AWalkFromAnyNumberMeetsOnlyRecipients) {
  Recipients recipients(kKey);
  std::set<RecipientId> ids;
  for (int i = 0; i < 300; ++i) {
    ids.insert(recipients.add(std::string(static_cast<size_t>(i % 90 + 1), 'x') + std::to_string(i)));
  }
  std::vector<uint64_t> numbers = {1, 8, UINT32_MAX, uint64_t{1} << 32 | 4, UINT64_MAX - 1, UINT64_MAX};
  for (uint64_t number = 0; number < 4000; ++number) numbers.push_back(number);
  for (const uint64_t number : numbers) {
    const uint64_t place = recipients.place_from(number);
    recipients.walk(place, 5, [&](RecipientId id) { ASSERT_TRUE(ids.contains(id)) << number; });
    EXPECT_EQ(recipients.place_from(place), place) << number;
  }
  // The number that a walk returns is a place.
  uint64_t met = 0;
  for (uint64_t at = 0; at != 0 || met == 0;) {
    at = recipients.walk(at, 7, [&](RecipientId) { ++met; });
    EXPECT_EQ(recipients.place_from(at), at);
  }
  EXPECT_EQ(met, 300u);
}

TEST(Recipients, TakeLittleRoomWhetherTheyAreFewOrMany) {
  Recipients recipients(kKey);
  const std::string name(36, 'x');
  recipients.add(name);
  EXPECT_LE(recipients.memory(), 256u);
  for (int i = 1; i < 50'000; ++i) recipients.add(std::to_string(100'000 + i) + name.substr(6));
  EXPECT_LE(recipients.memory(), 50'000u * 100);
}

TEST(Recipients, GiveTheirMemoryBackWhenTheLastOneGoes) {
  Recipients recipients(kKey);
  for (const int round : {1, 2}) {
    std::vector<RecipientId> ids;
    for (int i = 0; i < 5000; ++i) ids.push_back(recipients.add("recipient " + std::to_string(i * round)));
    const uint64_t full = recipients.memory();
    for (RecipientId id : ids) recipients.remove(id);
    EXPECT_EQ(recipients.size(), 0u);
    EXPECT_LT(recipients.memory(), full / 100);
    EXPECT_EQ(recipients.check(), nullptr);
    EXPECT_EQ(recipients.find("recipient 1"), RecipientId::none());
  }
}

TEST(Recipients, MemoryCountsNamesAndQueues) {
  Recipients recipients(kKey);
  const RecipientId ann = recipients.add("ann");
  const uint64_t before = recipients.memory();
  recipients.add(std::string(500, 'x'));
  EXPECT_GE(recipients.memory(), before + 500 + sizeof(Recipient));
  const uint64_t without_queue = recipients.memory();
  recipients[ann].queue = std::make_unique<Queue>(Offset(1));
  recipients[ann].queue->messages.append({}, std::string(10'000, 'p'));
  EXPECT_GE(recipients.memory(), without_queue + 10'000);
}

TEST(Recipient, PendingIsWhatIsRoutedAndWhatIsQueued) {
  Recipients recipients(kKey);
  Recipient& recipient = recipients[recipients.add("ann")];
  EXPECT_EQ(recipient.pending(), 0u);
  EXPECT_FALSE(recipient.is_in_flight());
  recipient.queue = std::make_unique<Queue>(Offset(7));
  for (int i = 0; i < 3; ++i) recipient.queue->messages.append({}, "p");
  EXPECT_EQ(recipient.pending(), 3u);
  EXPECT_FALSE(recipient.is_in_flight()) << "queued is not in flight";
  EXPECT_TRUE(recipient.queue->is_ready());
  recipient.queue->undelivered = Offset(9);
  EXPECT_EQ(recipient.queue->in_flight(), 2u);
  EXPECT_TRUE(recipient.is_in_flight());
  recipient.queue->undelivered = Offset(7);
  recipient.routed = 2;
  EXPECT_EQ(recipient.pending(), 5u);
  EXPECT_TRUE(recipient.is_in_flight()) << "what was handed out elsewhere is";
}

TEST(RecipientLists, KeepTheirOrderWhicheverIsRemoved) {
  Recipients all(kKey);
  for (const char* name : {"a", "b", "c", "d"}) all.add(name);
  RecipientList list;
  const auto names = [&] {
    std::string forwards, backwards;
    for (RecipientId at = list.first; at.is_some(); at = all[at].after) forwards += all[at].name();
    for (RecipientId at = list.last; at.is_some(); at = all[at].before) backwards.insert(0, all[at].name());
    EXPECT_EQ(forwards, backwards);
    return forwards;
  };
  for (const char* name : {"c", "a", "d", "b"}) add_to_list<own_links>(all, list, all.find(name));
  EXPECT_EQ(names(), "cadb");
  take_from_list<own_links>(all, list, all.find("a"));
  EXPECT_EQ(names(), "cdb");
  take_from_list<own_links>(all, list, all.find("c"));
  EXPECT_EQ(names(), "db");
  take_from_list<own_links>(all, list, all.find("b"));
  EXPECT_EQ(names(), "d");
  add_to_list<own_links>(all, list, all.find("a"));
  EXPECT_EQ(names(), "da");
  for (const char* name : {"a", "d"}) take_from_list<own_links>(all, list, all.find(name));
  EXPECT_EQ(names(), "");
  EXPECT_EQ(list.first, RecipientId::none());
}

}  // namespace
}  // namespace millrace
