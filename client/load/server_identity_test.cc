#include "client/load/server_identity.h"

#include <gtest/gtest.h>

#include "client/load/confirmed_marks.h"

namespace millrace::client {
namespace {

using What = Kept::What;

TEST(ServerIdentity, IsReadFromInfo) {
  const auto identity = parse_identity(
      "# Server\r\nredis_version:7.0.15\r\nrun_id:abc\r\n\r\n# Persistence\r\naof_enabled:1\r\n# Replication\r\n"
      "master_replid:def\r\nmaster_replid2:ghi\r\nmaster_repl_offset:1234\r\nsecond_repl_offset:-1\r\n");
  EXPECT_EQ(identity, (ServerIdentity{"abc", "def", "ghi", -1, 1234, true, false}));
  EXPECT_EQ(parse_identity("NOPERM"), std::nullopt);
  EXPECT_EQ(parse_identity(""), std::nullopt);
}

TEST(ServerIdentity, SaysWhatIsKept) {
  const ServerIdentity plain{"run", "history", "", -1, 100, false, false};
  const auto with = [&](auto change) {
    ServerIdentity other = plain;
    change(other);
    return other;
  };
  const auto restarted = [](ServerIdentity& one) {
    one.run_id = "run2";
    one.history = "history2";
  };
  const ServerIdentity appending = with([](auto& one) { one.has_append_only = true; });
  const ServerIdentity synced = with([](auto& one) { one.has_append_only = one.is_always_synced = true; });
  const auto again = [&](ServerIdentity one) {
    restarted(one);
    return one;
  };
  const ServerIdentity promoted = with([&](auto& one) {
    restarted(one);
    one.earlier_history = "history";
    one.earlier_end = 91;
  });
  const struct {
    const char* name;
    std::optional<ServerIdentity> before, now;
    Kept kept;
  } rows[] = {
      {"the same process", plain, plain, {What::All}},
      {"restarted, no file", plain, again(plain), {What::Nothing}},
      {"restarted with a file", appending, again(appending), {What::AllButTheLast}},
      {"restarted with a file that is always synced", synced, again(synced), {What::All}},
      {"the file was switched on only now", plain, again(synced), {What::Nothing}},
      {"a replica that took over", plain, promoted, {What::UpToOffset, 91}},
      {"the same process with the data of another", plain, with([](auto& one) { one.history = "x"; }), {What::Nothing}},
      {"nobody said it before", std::nullopt, plain, {What::Unsaid}},
      {"nobody says it now", plain, std::nullopt, {What::Unsaid}},
  };
  for (const auto& row : rows) EXPECT_EQ(what_is_kept(row.before, row.now), row.kept) << row.name;
}

TEST(ConfirmedMarks, KnowHowFarALoadHadCome) {
  using std::chrono::seconds;
  const ConfirmedMarks::Clock::time_point start{};
  const InputPosition begin{.offset = 5}, first{.offset = 10}, second{.offset = 20}, third{.offset = 30};
  ConfirmedMarks marks(begin);
  EXPECT_EQ(marks.confirmed_at(start), begin);
  EXPECT_EQ(marks.confirmed_before(1000), begin);
  marks.add(start + seconds(1), first);
  marks.set_offset(100);
  marks.add(start + seconds(2), second);
  marks.set_offset(200);
  marks.add(start + seconds(3), third);
  EXPECT_EQ(marks.confirmed_at(start), begin);
  EXPECT_EQ(marks.confirmed_at(start + seconds(1)), first);
  EXPECT_EQ(marks.confirmed_at(start + seconds(9)), third);
  EXPECT_EQ(marks.confirmed_before(100), begin);
  EXPECT_EQ(marks.confirmed_before(101), first);
  EXPECT_EQ(marks.confirmed_before(999), second) << "nobody said what the third was";
}

}  // namespace
}  // namespace millrace::client
