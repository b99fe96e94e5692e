#include "client/load/command_source.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>

namespace millrace::client {
namespace {

// A folder that is deleted at the end of the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "millrace-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string write(const std::string& name, const std::string& content, bool is_packed = false) {
    std::string path = (path_ / name).string();
    if (is_packed) {
      gzFile file = gzopen(path.c_str(), "wb1");
      gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
      gzclose(file);
    } else {
      std::ofstream(path, std::ios::binary) << content;
    }
    return path;
  }

 private:
  std::filesystem::path path_;
};

CommandSource source_of(std::vector<std::string> files, size_t longest = 1 << 20) {
  auto parser = make_parser({.format = InputFormat::Csv, .as = {"SET {id} {value}"}, .has_header = true});
  return {std::move(files), std::move(*parser), longest};
}

struct Taken {
  std::string text;  // the words, or the problem
  uint64_t line;
  InputPosition end;

  bool operator==(const Taken&) const = default;
};

std::vector<Taken> rest_of(CommandSource& source) {
  std::vector<Taken> all;
  for (;;) {
    const CommandSource::Step step = source.next();
    if (step == CommandSource::Step::End) return all;
    std::string text = "bad: " + source.problem();
    if (step == CommandSource::Step::Command) {
      text.clear();
      for (const std::string_view word : source.words()) text += std::string(word) + "|";
    }
    all.push_back({text, source.begin().line, source.end()});
  }
}

TEST(CommandSource, EveryCommandHasTheLineItBeginsIn) {
  Folder folder;
  auto source =
      source_of({folder.write("a", "id,value\n\n1,\"x\ny\"\nbad\n2,z\n"), folder.write("b", "value,id\nq,3")});
  const auto all = rest_of(source);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], (Taken{"SET|1|x\ny|", 3, {0, 18, 5}}));
  EXPECT_EQ(all[1], (Taken{"bad: 1 fields where the header has 2", 5, {0, 22, 6}}));
  EXPECT_EQ(all[2], (Taken{"SET|2|z|", 6, {0, 26, 7}}));
  EXPECT_EQ(all[3], (Taken{"SET|3|q|", 2, {1, 12, 2}}));
}

// Some records; there are line ends and bad records among them.
std::string random_table(std::mt19937& random) {
  std::string text = random() % 2 == 0 ? "id,value\r\n" : "\xef\xbb\xbfvalue,id\n";
  for (auto i = random() % 400; i > 0; --i) {
    switch (random() % 6) {
      case 0:
        text += "\"a\n\"\"b\"\"\",\"" + std::string(random() % 2000, 'c') + "\"\r\n";
        break;
      case 1:
        text += "bad\n";
        break;
      case 2:
        text += "\n";
        break;
      default:
        text += std::to_string(i) + "," + std::string(random() % 3000, 'x') + "\n";
    }
  }
  return text;
}

TEST(CommandSource, AContinuationFromAnyPlaceGetsExactlyTheRest) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    Folder folder;
    const bool is_packed = round % 2 == 1;
    const std::vector<std::string> files = {folder.write("a", random_table(random), is_packed),
                                            folder.write("b", random_table(random), is_packed)};
    auto whole = source_of(files);
    const auto all = rest_of(whole);
    for (size_t i = 0; i < all.size(); i += 1 + random() % 40) {
      auto again = source_of(files);
      const auto there = again.continue_at(all[i].end);
      ASSERT_TRUE(there) << there.error().text;
      EXPECT_EQ(again.end().trace, all[i].end.trace);
      EXPECT_EQ(rest_of(again), std::vector<Taken>(all.begin() + static_cast<long>(i) + 1, all.end()));
    }
    auto ended = source_of(files);
    ASSERT_TRUE(ended.continue_at(whole.end()));
    EXPECT_TRUE(rest_of(ended).empty());
  }
}

TEST(CommandSource, AnotherFileIsNotGoneOnWith) {
  Folder folder;
  std::string text = "id,value\n";
  for (int i = 100; i < 999; ++i) text += std::to_string(i) + ",a value\n";
  auto first = source_of({folder.write("a", text)});
  const auto all = rest_of(first);
  const InputPosition& place = all[800].end;
  const auto goes_on = [&](const std::string& content) {
    return source_of({folder.write("a", content)}).continue_at(place).has_value();
  };
  EXPECT_TRUE(goes_on(text));
  EXPECT_TRUE(goes_on(text + "more,of it\n"));
  const std::string row = "555,a value\n";
  std::string shifted = text, begun = text, changed = text;
  shifted.insert(shifted.find(row), "555,another\n555,one\n");
  begun.replace(9, 3, "xxx");
  changed.replace(place.offset - 12, 3, "xxx");
  for (const std::string& other : {shifted, begun, changed, "id,value\n1," + std::string(text.size(), 'x')}) {
    EXPECT_FALSE(goes_on(other)) << other.substr(0, 20);
  }
  // A checkpoint of an older version has no trace of the file.
  InputPosition unknown = place;
  unknown.trace.reset();
  EXPECT_TRUE(source_of({folder.write("a", changed)}).continue_at(unknown));
}

TEST(CommandSource, ARecordLargerThanAnyMayBeCostsItsLine) {
  Folder folder;
  const std::string filler(1 << 20, 'x');
  auto source = source_of({folder.write("a", "id,value\n1,\"open\n2," + filler + "\n")}, 300 << 10);
  const auto all = rest_of(source);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].text, "bad: a quote that is never closed");
  EXPECT_EQ(all[1].text, "bad: a line that is too long to be one; the rest of this file is left out");
}

TEST(CommandSource, AFileThatCannotBeReadIsReportedBeforeAnythingIsSent) {
  Folder folder;
  const auto checked = source_of({folder.write("a", ""), "/nonexistent/b"}).check_files();
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().text, "cannot read /nonexistent/b: No such file or directory");
}

}  // namespace
}  // namespace millrace::client
