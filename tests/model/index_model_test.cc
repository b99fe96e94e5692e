// Random documents and queries: the index gives the same answers as reading every document.
#include "tests/model/index_model.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "engine/index/index_operations.h"
#include "engine/index/index_parts.h"
#include "tests/model/seeds.h"

namespace millrace {
namespace {

using testing::IndexModel;
using testing::ModelDocument;
using testing::ModelValue;

constexpr HashKey kHash{1, 2, 3};

class History {
 public:
  // `documents` is the largest number of documents; one step of `asked_in` makes queries.
  History(uint64_t seed, uint64_t documents, uint64_t asked_in)
      : documents_(documents), asked_in_(asked_in), random_(seed), index_(IndexSchema("d:", false), kHash) {
    add_field({.name = "age", .type = FieldType::Integer});
    add_field({.name = "height", .type = FieldType::Number});
    add_field({.name = "city", .ignores_case = true});
    add_field({.name = "tags", .separator = ","});
    add_field({.name = "mail", .is_unique = true});
    add_field({.name = "badge", .type = FieldType::Integer, .is_unique = true, .separator = "/"});
    add_order({.name = "city-age", .fields = {"city", "age"}});
    add_order({.name = "tags-height", .fields = {"tags", "height"}});
    few_ = seed % 2 == 0;
  }

  void run(int steps) {
    for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
      write();
      if (chance(20)) now_ = now_ + random_() % 50;
      if (chance(60)) sweep();
      if (chance(100)) alter();
      if (chance(asked_in_)) ask();
      if (chance(12 * asked_in_)) page_through();
      if (chance(12 * asked_in_)) reload();
      if (chance(3 * asked_in_)) {
        ASSERT_STREQ(index_.check(), nullptr);
      }
    }
  }

 private:
  bool chance(uint64_t one_in) { return random_() % one_in == 0; }

  void add_field(const IndexField& field) {
    ASSERT_TRUE(index_.add_field(field));
    model_.fields.push_back(field);
  }
  void add_order(const CompositeOrder& order) {
    ASSERT_TRUE(index_.add_order(order));
    model_.orders.push_back(order);
  }

  std::string word_of(const IndexField& field) {
    const uint64_t range = few_ ? 5 : 50;
    if (field.type == FieldType::Integer) {
      const int64_t number = static_cast<int64_t>(random_() % range) - 2;
      if (chance(30)) return chance(2) ? "9223372036854775807" : "-9223372036854775808";
      return std::to_string(chance(10) ? number * 1'000'000'007 : number);
    }
    if (field.type == FieldType::Number) {
      return std::to_string((static_cast<double>(random_() % range) - 2.0) / 4.0);
    }
    const std::string words[] = {"Bonn", "bonn", "Berlin", "be", "", std::string("a\0b", 3), "a\x01", "\xff\xff", "x"};
    return few_ ? words[random_() % std::size(words)]
                : words[random_() % std::size(words)] + std::to_string(random_() % range);
  }

  std::string words_of_document(const IndexField& field) {
    if (chance(20)) return "does not fit a number";
    std::string word = word_of(field);
    while (!field.separator.empty() && !chance(2)) word += field.separator + word_of(field);
    return word;
  }

  std::string some_name() { return std::to_string(random_() % documents_); }

  void write() {
    const std::string name = some_name();
    if (chance(4)) {
      const bool was_there = model_.documents.contains(name);
      ASSERT_EQ(index_.remove(name), was_there);
      if (was_there) model_.remove(name);
      return;
    }
    ModelDocument document;
    if (model_.documents.contains(name) && chance(2)) document = model_.documents.at(name);
    for (const IndexField& field : model_.fields) {
      if (chance(3)) document.words[field.name] = words_of_document(field);
      if (chance(6)) document.words.erase(field.name);
    }
    if (chance(6)) document.expires_at = now_ + random_() % 100;
    if (chance(6)) document.expires_at.reset();
    model_.set(name, document);
    index_.set(name, model_.told(name, index_.schema()));
    ASSERT_TRUE(index_.agrees(name, model_.told(name, index_.schema())));
    index_.note_written(name);
  }

  // What the host does with expired documents.
  void sweep() {
    std::vector<std::string> gone;
    for (const auto& [name, document] : model_.documents) {
      if (!model_.is_visible(name, now_)) gone.push_back(name);
    }
    for (const std::string& name : gone) {
      model_.remove(name);
      ASSERT_TRUE(index_.remove(name));
    }
  }

  void build() {
    index_.set_work(IndexWork::Build);
    for (const auto& [name, document] : model_.documents) index_.set(name, model_.told(name, index_.schema()));
    index_.set_work(IndexWork::None);
  }

  void alter() {
    if (index_.schema().find_field("late") == nullptr) {
      add_field({.name = "late", .type = FieldType::Integer});
      add_order({.name = "late-city", .fields = {"late", "city"}});
      return build();
    }
    ASSERT_FALSE(index_.drop_field("late"));  // an order has it
    ASSERT_TRUE(index_.drop_order("late-city"));
    ASSERT_TRUE(index_.drop_field("late"));
    model_.orders.pop_back();
    std::erase_if(model_.fields, [](const IndexField& field) { return field.name == "late"; });
  }

  void reload() {
    Index restored(IndexSchema(), kHash);
    each_part(index_, [&](const Part& part) {
      const auto done = restore_part(restored, static_cast<IndexPart>(part.kind), part.bytes);
      ASSERT_TRUE(done) << done.error().text;
    });
    DigestText before;
    DigestText after;
    digest(index_, before);
    digest(restored, after);
    ASSERT_EQ(before.text(), after.text());
    // A copy is equal, and later changes of the original do not change it.
    index_ = restored.clone();
    ASSERT_STREQ(restored.check(), nullptr);
    ASSERT_STREQ(index_.check(), nullptr);
  }

  FieldCondition condition() {
    using enum FieldCondition::Operator;
    FieldCondition made;
    const IndexField& field = model_.fields[random_() % model_.fields.size()];
    made.field = kept_.emplace_back(field.name);
    made.relation = static_cast<FieldCondition::Operator>(random_() % 8);
    if (made.relation == Prefix && field.type != FieldType::Text) made.relation = Equal;
    const size_t operands = made.relation == Between ? 2 : made.relation == In ? 1 + random_() % 4 : 1;
    for (size_t i = 0; i < operands; ++i) {
      std::string word = word_of(field);
      if (made.relation == Prefix) word = word.substr(0, random_() % 3);
      made.operands.push_back(kept_.emplace_back(std::move(word)));
    }
    return made;
  }

  std::vector<FieldCondition> conditions() {
    kept_.clear();
    std::vector<FieldCondition> where;
    for (uint64_t n = random_() % 4; n > 0; --n) where.push_back(condition());
    return where;
  }

  static std::set<std::string> keys(const std::set<std::string>& names) {
    std::set<std::string> all;
    for (const std::string& name : names) all.insert("d:" + name);
    return all;
  }

  // Everything that a request finds, page by page.
  std::vector<ListedDocument> all_pages(FindRequest request) {
    std::vector<ListedDocument> all;
    std::string cursor;
    for (uint64_t pages = 0; pages <= documents_; ++pages) {
      const auto page = operations_.find(&index_, request, now_);
      EXPECT_TRUE(page) << page.error().text;
      if (!page) return all;
      EXPECT_LE(page->documents.size(), request.limit);
      all.insert(all.end(), page->documents.begin(), page->documents.end());
      if (!page->cursor) return all;
      cursor = page->cursor->text();
      request.after = cursor;
    }
    ADD_FAILURE() << "a search without an end";
    return all;
  }

  void ask() {
    FindRequest request;
    request.where = conditions();
    const std::set<std::string> expected = keys(model_.find(request.where, now_));
    ASSERT_EQ(operations_.count(&index_, {request.where}, now_), expected.size());
    request.limit = 1 + random_() % 20;
    request.is_reversed = chance(2);
    std::set<std::string> found;
    for (const ListedDocument& each : all_pages(request)) ASSERT_TRUE(found.insert(each.key).second) << each.key;
    ASSERT_EQ(found, expected);
    ask_in_order(request);
    ask_sample(request.where, expected);
    ask_rest();
  }

  void ask_in_order(FindRequest request) {
    const IndexField& field = model_.fields[random_() % model_.fields.size()];
    request.order = field.name;
    request.with_values = true;
    std::set<std::string> expected;
    for (const std::string& name : model_.find(request.where, now_)) {
      if (!model_.values(name, field).empty()) expected.insert("d:" + name);
    }
    std::set<std::string> found;
    std::optional<ModelValue> before;
    for (const ListedDocument& each : all_pages(request)) {
      ASSERT_TRUE(found.insert(each.key).second) << each.key;
      ASSERT_EQ(each.values.size(), 1U);
      const ModelValue value = *testing::model_value(field, each.values[0]);
      ASSERT_TRUE(model_.values(each.key.substr(2), field).contains(value));
      ASSERT_TRUE(!before || (request.is_reversed ? value <= *before : value >= *before));
      before = value;
    }
    ASSERT_EQ(found, expected);
    if (model_.orders.empty()) return;
    const CompositeOrder& order = model_.orders[random_() % model_.orders.size()];
    request.order = order.name;
    expected.clear();
    for (const std::string& name : model_.find(request.where, now_)) {
      const bool has_all = std::ranges::all_of(order.fields, [&](const std::string& part) {
        return !model_.raw_values(model_.documents.at(name), model_.field(part)).empty();
      });
      if (has_all) expected.insert("d:" + name);
    }
    found.clear();
    for (const ListedDocument& each : all_pages(request)) {
      ASSERT_TRUE(found.insert(each.key).second);
      ASSERT_EQ(each.values.size(), order.fields.size());
    }
    ASSERT_EQ(found, expected);
  }

  void ask_sample(const std::vector<FieldCondition>& where, const std::set<std::string>& expected) {
    const uint64_t wanted = random_() % 10;
    const auto drawn = operations_.sample(&index_, {wanted, where}, random_(), now_);
    ASSERT_TRUE(drawn);
    ASSERT_EQ(drawn->size(), std::min<size_t>(wanted, expected.size()));
    const std::set<std::string> different(drawn->begin(), drawn->end());
    ASSERT_EQ(different.size(), drawn->size());
    for (const std::string& key : different) ASSERT_TRUE(expected.contains(key));
  }

  void ask_rest() {
    const auto recent = operations_.recent(&index_, 7, now_);
    ASSERT_TRUE(recent);
    std::vector<std::string> expected;
    for (auto name = model_.written.rbegin(); name != model_.written.rend() && expected.size() < 7; ++name) {
      if (model_.is_visible(*name, now_)) expected.push_back("d:" + *name);
    }
    ASSERT_EQ(*recent, expected);

    const std::string prefix = chance(2) ? "" : "b";
    const auto completed = operations_.complete(&index_, {"tags", prefix, 1000, true}, now_);
    ASSERT_TRUE(completed);
    std::map<std::string, uint64_t> counts;
    for (const CompletedValue& each : *completed) counts[each.value] = each.count;
    ASSERT_EQ(counts, model_.complete("tags", prefix, now_));
    ASSERT_TRUE(std::ranges::is_sorted(*completed, std::ranges::greater(), &CompletedValue::count));

    const auto conflicts = operations_.conflicts(&index_, 100'000);
    ASSERT_TRUE(conflicts);
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> lines;
    for (const ListedConflict& each : *conflicts) lines[{each.field, each.value}].push_back(each.key);
    size_t waiting = 0;
    for (const auto& [at, line] : model_.lines) {
      if (line.size() > 1) waiting += line.size() - 1;
    }
    ASSERT_EQ(conflicts->size(), waiting);
    for (const ListedConflict& each : *conflicts) {
      const auto value = testing::model_value(model_.field(each.field), each.value);
      const auto& line = model_.lines.at({each.field, *value});
      ASSERT_EQ(each.holder, "d:" + line.front());
      const auto& listed = lines.at({each.field, each.value});
      ASSERT_TRUE(std::equal(listed.begin(), listed.end(), line.begin() + 1,
                             [](const std::string& key, const std::string& name) { return key == "d:" + name; }));
    }
  }

  // With writes between the pages: documents that do not change are found once.
  void page_through() {
    FindRequest request;
    kept_.clear();
    request.order = "age";
    request.limit = 3;
    request.is_reversed = chance(2);
    const IndexField& age = model_.field("age");
    std::map<std::string, ModelValue> stayed;
    for (const std::string& name : model_.find({}, now_)) {
      const auto values = model_.values(name, age);
      if (!values.empty()) stayed.emplace("d:" + name, *values.begin());
    }
    std::map<std::string, int> found;
    std::string cursor;
    for (int pages = 0; pages < 1000; ++pages) {
      const auto page = operations_.find(&index_, request, now_);
      ASSERT_TRUE(page);
      for (const ListedDocument& each : page->documents) ++found[each.key];
      if (!page->cursor) break;
      cursor = page->cursor->text();
      request.after = cursor;
      write();
      std::erase_if(stayed, [&](const auto& each) {
        const std::string name = each.first.substr(2);
        if (!model_.documents.contains(name) || !model_.is_visible(name, now_)) return true;
        const auto values = model_.values(name, age);
        return values.empty() || *values.begin() != each.second;
      });
    }
    for (const auto& [key, value] : stayed) ASSERT_EQ(found[key], 1) << key;
  }

  uint64_t documents_;
  uint64_t asked_in_;
  std::mt19937_64 random_;
  Index index_;
  IndexModel model_;
  IndexOperations operations_{kHash};
  UnixMs now_{1'000};
  bool few_ = false;
  std::deque<std::string> kept_;  // owns the bytes that conditions refer to
};

TEST(IndexModel, AnswersAsALookAtEveryDocumentDoes) {
  testing::run_seeds(60, [](uint64_t seed) { History(seed, 120, 3).run(800); });
}

// Enough documents for the optimisations that need many.
TEST(IndexModel, AnswersSoWithManyDocumentsToo) {
  const int steps = testing::run_length() == "quick" ? 3'000 : 8'000;
  testing::run_seeds(20, [&](uint64_t seed) { History(seed, 1500, 150).run(steps); });
}

}  // namespace
}  // namespace millrace
