// The tables of docs/route-filters.md, row by row: the engine and the model do what the tables say about filters and
// documents.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "engine/filter/document.h"
#include "engine/filter/filter.h"
#include "engine/filter/program.h"
#include "tests/model/filter_model.h"

namespace millrace::testing {
namespace {

using Row = std::vector<std::string>;

// | a | `b` | -> {a, b}; \| is a bar.
Row cells(const std::string& line) {
  Row found;
  std::string cell;
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += line[++i];
    } else if (line[i] == '|') {
      const bool is_code = cell.size() >= 4 && cell[1] == '`';
      found.push_back(is_code ? cell.substr(2, cell.size() - 4) : cell.substr(1, cell.size() - 2));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return found;
}

// The rows of all tables with these column names.
std::vector<Row> rows_below(const std::string& head) {
  std::ifstream file(MILLRACE_DOCS "/route-filters.md");
  std::vector<Row> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (inside && line.starts_with("|")) {
      if (!line.starts_with("| ---")) rows.push_back(cells(line));
    } else {
      inside = line == head;
    }
  }
  return rows;
}

std::string verdict(const std::string& filter_text, const std::string& document_text) {
  const auto filter = parse_filter(filter_text);
  if (!filter) return filter.error().text;
  Fields fields;
  const Program program(*filter, fields);
  DocumentParser parser;
  const auto document = parser.parse(document_text);
  if (!document) return "refused";
  FieldValues values;
  values.extract(*document, fields);
  Evaluation evaluation;
  return program.matches(values, evaluation) == Verdict::Yes ? "yes" : "no";
}

TEST(RouteFilters, MatchAsTheDocumentationSays) {
  const auto rows = rows_below("| what | filter | document | matches |");
  EXPECT_GT(rows.size(), 150u);
  std::set<std::string> names;
  for (const Row& row : rows) {
    ASSERT_EQ(row.size(), 4u);
    SCOPED_TRACE(row[0] + ": " + row[1] + " " + row[2]);
    EXPECT_TRUE(names.insert(row[0]).second) << "there are two rows of this name";
    EXPECT_EQ(verdict(row[1], row[2]), row[3]);
    if (row[3] == "refused") continue;
    EXPECT_EQ(FilterModel::matches(parse_json(row[1]), parse_json(row[2])) ? "yes" : "no", row[3]) << "by the model";
  }
}

TEST(RouteFilters, AreRefusedAsTheDocumentationSays) {
  const auto rows = rows_below("| filter | error |");
  EXPECT_GT(rows.size(), 25u);
  for (const Row& row : rows) {
    ASSERT_EQ(row.size(), 2u);
    SCOPED_TRACE(row[0]);
    const auto filter = parse_filter(row[0]);
    ASSERT_FALSE(filter);
    EXPECT_EQ(filter.error().code, ErrorCode::BadFilter);
    EXPECT_EQ(filter.error().text, row[1]);
  }
}

}  // namespace
}  // namespace millrace::testing
