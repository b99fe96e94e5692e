#include "client/load/command_effect.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

CommandEffects::Effect effect_of(CommandEffects& effects, std::initializer_list<std::string_view> words) {
  return effects.next(Words(words.begin(), words.size()));
}

TEST(CommandEffects, ATransactionLastsFromMultiToExec) {
  CommandEffects effects(true);
  EXPECT_FALSE(effect_of(effects, {"SET", "a", "1"}).role.is_within_transaction);
  EXPECT_TRUE(effect_of(effects, {"multi"}).role.is_within_transaction);
  EXPECT_TRUE(effect_of(effects, {"SET", "a", "1"}).role.is_within_transaction);
  EXPECT_TRUE(effect_of(effects, {"HSET", "a", "1"}).role.is_within_transaction);
  EXPECT_FALSE(effect_of(effects, {"EXEC"}).role.is_within_transaction);
  EXPECT_TRUE(effect_of(effects, {"MULTI"}).role.is_within_transaction);
  EXPECT_FALSE(effect_of(effects, {"Discard"}).role.is_within_transaction);
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
    EXPECT_FALSE(effect.role.is_within_transaction);
  }
}

}  // namespace
}  // namespace millrace::client
