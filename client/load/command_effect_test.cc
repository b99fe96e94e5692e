#include "client/load/command_effect.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

using Part = Pipeline::Part;

CommandEffects::Effect effect_of(CommandEffects& effects, std::initializer_list<std::string_view> words) {
  return effects.next(Words(words.begin(), words.size()));
}

TEST(CommandEffects, ATransactionLastsFromMultiToExec) {
  CommandEffects effects(true);
  EXPECT_EQ(effect_of(effects, {"SET", "a", "1"}).role.part, Part::None);
  EXPECT_EQ(effect_of(effects, {"multi"}).role.part, Part::Begins);
  EXPECT_EQ(effect_of(effects, {"SET", "a", "1"}).role.part, Part::Inside);
  EXPECT_EQ(effect_of(effects, {"HSET", "a", "1"}).role.part, Part::Inside);
  EXPECT_EQ(effect_of(effects, {"EXEC"}).role.part, Part::Executes);
  EXPECT_EQ(effect_of(effects, {"SET", "a", "1"}).role.part, Part::None);
  EXPECT_EQ(effect_of(effects, {"MULTI"}).role.part, Part::Begins);
  EXPECT_EQ(effect_of(effects, {"Discard"}).role.part, Part::Discards);
  EXPECT_EQ(effect_of(effects, {"SET", "a", "1"}).role.part, Part::None);
}

TEST(CommandEffects, MultiAndDiscardWithAWordTooManyDoNothingToATransaction) {
  CommandEffects effects(true);
  EXPECT_EQ(effect_of(effects, {"MULTI", "x"}).role.part, Part::None);
  EXPECT_EQ(effect_of(effects, {"SET", "a", "1"}).role.part, Part::None);
  EXPECT_EQ(effect_of(effects, {"MULTI"}).role.part, Part::Begins);
  EXPECT_EQ(effect_of(effects, {"DISCARD", "x"}).role.part, Part::Inside);
  EXPECT_EQ(effect_of(effects, {"EXEC", "x"}).role.part, Part::Executes);
  EXPECT_EQ(effect_of(effects, {"SET", "a", "1"}).role.part, Part::None);
}

TEST(CommandEffects, WhereATransactionIsLeftItIsOver) {
  CommandEffects effects(true);
  EXPECT_FALSE(effects.leaves_transaction());
  effect_of(effects, {"MULTI"});
  EXPECT_TRUE(effects.leaves_transaction());
  EXPECT_FALSE(effects.leaves_transaction());
  EXPECT_EQ(effect_of(effects, {"SET", "a", "1"}).role.part, Part::None);
}

TEST(CommandEffects, SelectIsRemembered) {
  CommandEffects effects(true);
  EXPECT_EQ(effect_of(effects, {"select", "3"}).role.selects, 3U);
  EXPECT_EQ(effect_of(effects, {"SELECT", "x"}).role.selects, std::nullopt);
  EXPECT_EQ(effect_of(effects, {"SELECT"}).role.selects, std::nullopt);
}

TEST(CommandEffects, WhatIsNotAnsweredOnceIsRefused) {
  CommandEffects effects(true);
  for (const std::string_view name : {"SUBSCRIBE", "psubscribe", "MONITOR", "SYNC"}) {
    EXPECT_STREQ(effect_of(effects, {name, "x"}).refusal, "this command cannot be loaded: it is not answered once");
  }
  EXPECT_NE(effect_of(effects, {"CLIENT", "reply", "OFF"}).refusal, nullptr);
  for (const std::string_view name : {"SET", "RPUSH", "CLIENT", "PUBLISH", "SETRANGE", "MSET", "HSET", "DEL", "EVAL"}) {
    EXPECT_EQ(effect_of(effects, {name, "x"}).refusal, nullptr) << name;
  }
}

TEST(CommandEffects, WhatChangesOrEndsTheConnectionIsRefused) {
  CommandEffects effects(true);
  for (const std::string_view name : {"HELLO", "quit", "Reset"}) {
    EXPECT_STREQ(effect_of(effects, {name}).refusal,
                 "this command cannot be loaded: it changes or ends the connection itself");
  }
}

TEST(CommandEffects, WithSeveralConnectionsNothingMayMatterToTheNext) {
  CommandEffects effects(false);
  for (const std::string_view name : {"MULTI", "EXEC", "DISCARD", "WATCH", "UNWATCH", "SELECT"}) {
    const auto effect = effect_of(effects, {name, "1"});
    EXPECT_NE(effect.refusal, nullptr) << name;
  }
}

}  // namespace
}  // namespace millrace::client
