#include "cli/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace millrace::cli {
namespace {

using Milliseconds = ChildProcess::Milliseconds;
using Words = std::vector<std::string>;

constexpr Milliseconds kLong(60'000);
constexpr Milliseconds kShort(50);

// A pipe. Programs that are started meanwhile inherit one end, as descriptor $OUT. When the pipe is at its end, none of
// them runs any more.
class SharedPipe {
 public:
  SharedPipe() {
    EXPECT_EQ(pipe(ends_), 0);
    fcntl(ends_[0], F_SETFD, FD_CLOEXEC);
  }
  ~SharedPipe() {
    close_ours();
    close(ends_[0]);
  }

  ChildProcess::Environment variables() const { return {{"OUT", std::to_string(ends_[1])}}; }
  int readable() const { return ends_[0]; }

  // The next line of any process; nullopt if all of them have ended.
  std::string line() {
    close_ours();
    std::string text;
    for (char byte = 0; byte != '\n';) {
      pollfd watched{ends_[0], POLLIN, 0};
      if (poll(&watched, 1, static_cast<int>(kLong.count())) != 1) return "waited in vain";
      if (read(ends_[0], &byte, 1) != 1) break;
      text += byte;
    }
    return text;
  }

 private:
  void close_ours() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

  int ends_[2] = {-1, -1};
};

Words shell(const std::string& script) { return {"sh", "-c", script}; }

// Two processes that do not end by themselves, with their reaction to SIGTERM; prints when both are running.
Words two_with(const std::string& trap) {
  return shell(trap + " (" + trap + " echo child >&$OUT; while :; do sleep 0.01; done) & " +
               "while :; do sleep 0.01; done");
}

int status_of(const Words& words, const ChildProcess::Environment& variables = {}) {
  return ChildProcess(words, variables).wait(kLong, -1).value_or(-1);
}

TEST(ChildProcess, EndsWithWhatShellsSay) {
  const struct {
    Words words;
    int status;
  } rows[] = {{{"true"}, 0},
              {{"false"}, 1},
              {shell("exit 7"), 7},
              {shell("exit 255"), 255},
              {shell("kill -TERM $$"), 143},
              {shell("kill -KILL $$"), 137},
              {{"no-such-program-anywhere"}, 127},
              {{"/no/such/file"}, 127},
              {{"/"}, 126}};
  for (const auto& row : rows) EXPECT_EQ(status_of(row.words), row.status) << row.words.back();
}

TEST(ChildProcess, TakesItsWordsAsTheyAre) {
  EXPECT_EQ(status_of({"sh", "-c", R"([ "$1" = "a  b" ] && [ -z "$2" ] && [ "$3" = "[x,y]" ] && [ $# = 3 ])", "sh",
                       "a  b", "", "[x,y]"}),
            0);
}

TEST(ChildProcess, GetsVariablesAndLosesOthers) {
  setenv("MILLRACE_TEST_OLD", "of a lock around this one", 1);
  setenv("MILLRACE_TEST_KEPT", "kept", 1);
  EXPECT_EQ(status_of(shell(R"([ "$MILLRACE_TEST_NEW" = "a b" ] && [ -z "${MILLRACE_TEST_OLD+set}" ] &&
                               [ "$MILLRACE_TEST_KEPT" = kept ])"),
                      {{"MILLRACE_TEST_NEW", "a b"}, {"MILLRACE_TEST_OLD", std::nullopt}}),
            0);
  EXPECT_STREQ(getenv("MILLRACE_TEST_OLD"), "of a lock around this one") << "our own stay";
}

TEST(ChildProcess, AWaitEndsInTimeOrWhenADescriptorIsReadable) {
  SharedPipe pipe;
  ChildProcess child(shell("echo here >&$OUT; sleep 1000"), pipe.variables());
  EXPECT_EQ(child.wait(kLong, pipe.readable()), std::nullopt);
  EXPECT_EQ(pipe.line(), "here\n");
  EXPECT_EQ(child.wait(kShort, -1), std::nullopt);
}

TEST(ChildProcess, ASignalReachesWhatItStarted) {
  SharedPipe pipe;
  ChildProcess child(two_with(""), pipe.variables());
  EXPECT_EQ(pipe.line(), "child\n");
  child.signal(SIGTERM);
  EXPECT_EQ(child.wait(kLong, -1), 128 + SIGTERM);
  EXPECT_EQ(pipe.line(), "") << "nobody is left";
}

TEST(ChildProcess, ItsEndIsPoliteAtFirst) {
  SharedPipe pipe;
  ChildProcess child(shell("trap 'echo bye >&$OUT; exit 3' TERM; echo here >&$OUT; while :; do sleep 0.01; done"),
                     pipe.variables());
  EXPECT_EQ(pipe.line(), "here\n");
  child.end(kLong);
  EXPECT_EQ(child.wait(kLong, -1), 3);
  EXPECT_EQ(pipe.line(), "bye\n");
  EXPECT_EQ(pipe.line(), "");
}

TEST(ChildProcess, AProcessThatIgnoresTheSignalIsKilledAfterTheGrace) {
  SharedPipe pipe;
  ChildProcess child(two_with("trap '' TERM;"), pipe.variables());
  EXPECT_EQ(pipe.line(), "child\n");
  child.end(kShort);
  EXPECT_EQ(child.wait(kLong, -1), 128 + SIGKILL);
  EXPECT_EQ(pipe.line(), "");
}

TEST(ChildProcess, WhatItStartedIsKilledAlsoIfItEndsItself) {
  SharedPipe pipe;
  ChildProcess child(shell("(trap '' TERM; echo child >&$OUT; while :; do sleep 0.01; done) & wait"), pipe.variables());
  EXPECT_EQ(pipe.line(), "child\n");
  child.end(kShort);
  EXPECT_EQ(child.wait(kLong, -1), 128 + SIGTERM);
  EXPECT_EQ(pipe.line(), "");
}

TEST(ChildProcess, AStoppedProcessIsEndedToo) {
  SharedPipe pipe;
  ChildProcess child(two_with(""), pipe.variables());
  EXPECT_EQ(pipe.line(), "child\n");
  child.signal(SIGSTOP);
  child.end(kLong);
  EXPECT_EQ(child.wait(kLong, -1), 128 + SIGTERM);
  EXPECT_EQ(pipe.line(), "");
}

TEST(ChildProcess, DestructionKillsWhatStillRuns) {
  SharedPipe pipe;
  {
    ChildProcess child(two_with("trap '' TERM;"), pipe.variables());
    EXPECT_EQ(pipe.line(), "child\n");
  }
  EXPECT_EQ(pipe.line(), "");
}

TEST(ChildProcess, ProcessesLeftBehindWhenItEndedByItselfRunOn) {
  SharedPipe pipe;
  {
    ChildProcess child(shell("(sleep 0.2; echo later >&$OUT) & exit 0"), pipe.variables());
    EXPECT_EQ(child.wait(kLong, -1), 0);
  }
  EXPECT_EQ(pipe.line(), "later\n");
}

TEST(ChildProcess, ItIsEndedIfWeDie) {
  SharedPipe pipe;
  const pid_t between = fork();
  if (between == 0) {
    ChildProcess child(shell("echo here >&$OUT; exec sleep 1000"), pipe.variables());
    child.wait(kLong, -1);
    std::_Exit(0);
  }
  EXPECT_EQ(pipe.line(), "here\n");
  kill(between, SIGKILL);
  waitpid(between, nullptr, 0);
  EXPECT_EQ(pipe.line(), "");
}

}  // namespace
}  // namespace millrace::cli
