#include "client/load/dependants.h"

#include <gtest/gtest.h>

namespace millrace::client {
namespace {

using Kind = Dependants::Verdict::Kind;

// A server with four databases, as far as it is asked.
class Judged {
 public:
  explicit Judged(bool accepts_multi) : accepts_multi_(accepts_multi) {}

  Kind operator()(std::initializer_list<std::string_view> list) {
    const Words words(list.begin(), list.size());
    last_ = dependants_.judge(words, effects_.next(words));
    return last_.kind;
  }
  const Dependants::Verdict& last() const { return last_; }
  size_t questions() const { return questions_; }
  Dependants& dependants() { return dependants_; }

 private:
  std::optional<std::string> ask(Words words) {
    ++questions_;
    if (words[0] == "MULTI") return accepts_multi_ ? std::nullopt : std::optional<std::string>("NOPERM");
    if (words[1].size() == 1 && words[1] < "4") return std::nullopt;
    return "ERR DB index is out of range";
  }

  bool accepts_multi_;
  size_t questions_ = 0;
  CommandEffects effects_{true};
  Dependants dependants_{[this](Words words) { return ask(words); }, [] { return std::string("x:1"); }};
  Dependants::Verdict last_;
};

TEST(Dependants, WhatIsAcceptedIsAskedForOnce) {
  Judged judged(true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(judged({"SELECT", "3"}), Kind::Send);
    EXPECT_EQ(judged({"MULTI"}), Kind::Send);
    EXPECT_EQ(judged({"SET", "a", "1"}), Kind::Send);
    EXPECT_EQ(judged({"EXEC"}), Kind::Send);
  }
  EXPECT_EQ(judged.questions(), 2U);
  judged.dependants().forget_what_is_accepted();
  EXPECT_EQ(judged({"SELECT", "3"}), Kind::Send);
  EXPECT_EQ(judged.questions(), 3U);
}

TEST(Dependants, BehindARefusedSelectEverythingIsLeftOutUntilTheNext) {
  Judged judged(true);
  EXPECT_EQ(judged({"SELECT", "99"}), Kind::Refused);
  EXPECT_EQ(judged.last().why, "ERR DB index is out of range");
  EXPECT_EQ(judged.dependants().refused_database(), 99U);
  EXPECT_EQ(judged({"SET", "a", "1"}), Kind::LeftOut);
  EXPECT_EQ(judged.last().why, "not sent: the SELECT at x:1 was refused");
  EXPECT_EQ(judged({"MULTI"}), Kind::LeftOut);
  EXPECT_EQ(judged({"EXEC"}), Kind::LeftOut);
  EXPECT_EQ(judged({"SELECT", "1"}), Kind::Send);
  EXPECT_EQ(judged({"SET", "a", "1"}), Kind::Send);
  EXPECT_EQ(judged.dependants().refused_database(), std::nullopt);
}

TEST(Dependants, ARefusedTransactionEndsWithExecDiscardOrItsFile) {
  Judged judged(false);
  for (const std::string_view end : {"EXEC", "DISCARD"}) {
    EXPECT_EQ(judged({"MULTI"}), Kind::Refused);
    EXPECT_EQ(judged({"SELECT", "1"}), Kind::LeftOut);
    EXPECT_EQ(judged({"SET", "a", "1"}), Kind::LeftOut);
    EXPECT_TRUE(judged.dependants().is_in_refused_transaction());
    EXPECT_EQ(judged({end}), Kind::LeftOut);
    EXPECT_FALSE(judged.dependants().is_in_refused_transaction());
    EXPECT_EQ(judged({"SET", "a", "1"}), Kind::Send);
  }
  EXPECT_EQ(judged({"MULTI"}), Kind::Refused);
  judged.dependants().leave_file();
  EXPECT_EQ(judged({"SET", "a", "1"}), Kind::Send);
}

TEST(Dependants, ATransactionWithARefusedSelectIsGivenUp) {
  Judged judged(true);
  EXPECT_EQ(judged({"MULTI"}), Kind::Send);
  EXPECT_EQ(judged({"SELECT", "99"}), Kind::Refused);
  EXPECT_EQ(judged({"SELECT", "1"}), Kind::LeftOut);
  EXPECT_EQ(judged({"SET", "a", "1"}), Kind::LeftOut);
  EXPECT_EQ(judged({"EXEC"}), Kind::LeftOut);
  EXPECT_TRUE(judged.last().abandons);
  EXPECT_EQ(judged({"SET", "a", "1"}), Kind::LeftOut);
}

}  // namespace
}  // namespace millrace::client
