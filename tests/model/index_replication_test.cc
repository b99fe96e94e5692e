// A follower gets the schema, as repeated requests, and the documents. It ends with an index with the same digest, also
// if it starts from a saved index.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "engine/index/index_operations.h"
#include "engine/index/index_parts.h"
#include "tests/model/seeds.h"

namespace millrace {
namespace {

constexpr HashKey kLeadersHash{1};
constexpr HashKey kFollowersHash{2};

class Server {
 public:
  explicit Server(const HashKey& key) : operations_(key) {}

  Index* index() { return place_.get(); }
  std::string digest_text() {
    DigestText text;
    if (index() != nullptr) digest(*index(), text);
    return text.text();
  }

  bool create(const CreateIndexRequest& request, bool decides) {
    const auto done = operations_.create(place_, request, {.now = {}, .decides = decides});
    // The follower gets only the request.
    EXPECT_EQ(done.answer.has_value(), done.consequences.effects.is_request_alone());
    return done.answer.has_value();
  }
  bool alter(const AlterIndexRequest& request, bool decides) {
    const auto done = operations_.alter(place_, request, {.now = {}, .decides = decides});
    EXPECT_EQ(done.answer.has_value(), done.consequences.effects.is_request_alone());
    return done.answer.has_value();
  }

  // What a host does after either of them: it reads all documents.
  void build(const std::map<std::string, std::map<std::string, std::string>>& documents) {
    if (index() == nullptr) return;
    for (const auto& [name, words] : documents) set(name, words);
    index()->set_work(IndexWork::None);
  }
  void set(const std::string& name, const std::map<std::string, std::string>& words) {
    if (index() == nullptr) return;
    DocumentValues values;
    for (const IndexField& field : index()->schema().fields()) {
      const auto word = words.find(field.name);
      if (word != words.end()) values.add(field, word->second);
    }
    values.finish();
    index()->set(name, values, Noting::Always);
  }

  // Restores what another engine has saved, part by part, like IDX.APPLY.
  void load(const Index& saved) {
    if (index() != nullptr) place_.remove();
    each_part(saved, [&](const Part& part) {
      const auto done = operations_.apply(place_, part, {});
      EXPECT_TRUE(done.answer);
    });
  }

 private:
  IndexOperations operations_;
  OwnPlace<Index> place_{"index"};
};

void run_history(uint64_t seed) {
  std::mt19937_64 random(seed);
  Server leader(kLeadersHash);
  Server follower(kFollowersHash);
  std::map<std::string, std::map<std::string, std::string>> documents;
  const std::string fields[] = {"a", "b", "c", "d"};
  for (int step = 0; step < 400 && !::testing::Test::HasFailure(); ++step) {
    const std::string& field = fields[random() % 4];
    switch (random() % 8) {
      case 0: {
        CreateIndexRequest request;
        request.prefix = "d:";
        request.fields.push_back({.name = field, .type = FieldType::Integer});
        const bool is_made = leader.create(request, true);
        ASSERT_TRUE(!is_made || follower.create(request, false));
        break;
      }
      case 1: {
        AlterIndexRequest request;
        request.kind = static_cast<AlterIndexRequest::Kind>(random() % 4);
        request.field = {.name = field, .is_unique = random() % 2 == 0};
        request.order = {.name = "o", .fields = {"a", "b"}};
        request.name = request.kind == AlterIndexRequest::Kind::DropField ? ByteView(field) : "o";
        const bool is_altered = leader.alter(request, true);
        ASSERT_TRUE(!is_altered || follower.alter(request, false));
        break;
      }
      case 2:
        if (leader.index() != nullptr && random() % 4 == 0) follower.load(*leader.index());
        break;
      default: {
        const std::string name = std::to_string(random() % 20);
        documents[name][field] = std::to_string(random() % 10);
        leader.set(name, documents[name]);
        follower.set(name, documents[name]);
        continue;
      }
    }
    leader.build(documents);
    follower.build(documents);
    ASSERT_EQ(leader.digest_text(), follower.digest_text());
    if (leader.index() != nullptr) {
      ASSERT_STREQ(leader.index()->check(), nullptr);
      ASSERT_STREQ(follower.index()->check(), nullptr);
    }
  }
}

TEST(IndexReplication, AFollowerThatGetsTheSchemaHoldsTheSame) { testing::run_seeds(100, run_history); }

}  // namespace
}  // namespace millrace
