// The fields that the filters of a channel look at, as a tree of names: the cost of walking a document along it depends
// on the document, not on the number of fields.
//
//   priority  ->  0
//   owner     ->  name  ->  1          "owner.name"
//                 team  ->  2          "owner.team"
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/filter/filter_ids.h"

namespace millrace {

class Fields {
 public:
  // A filter may have thousands of names, so a name is one allocation, and the last name of a path has no map.
  struct Node {
    using Children = std::map<std::string, Node, std::less<>>;

    FieldId field;                       // none if no filter looks at the path that ends here
    std::unique_ptr<Children> children;  // null: none

    // Null if there is none.
    const Node* child(ByteView name) const;
  };

  Fields clone() const;

  // One more filter looks at the field of this path.
  FieldId use(ByteView whole);
  // One filter fewer; a field without filters is removed, and its id may be reused.
  void release(FieldId field);

  // The id of a path that some filter looks at; none() if no filter does.
  FieldId find(ByteView path) const;

  // Ids are below this.
  size_t limit() const { return uses_.size(); }
  const std::string& path(FieldId field) const { return uses_[field.value()].path; }
  const Node& root() const { return root_; }

  uint64_t memory() const;
  const char* check() const;

 private:
  struct Use {
    std::string path;
    uint32_t filters = 0;  // 0: unused id
  };

  static void copy_names(const Node& from, Node& to);

  Node root_;
  std::vector<Use> uses_;
  std::vector<FieldId> free_;
};

inline const Fields::Node* Fields::Node::child(ByteView name) const {
  if (children == nullptr) return nullptr;
  const auto found = children->find(name);
  return found != children->end() ? &found->second : nullptr;
}

}  // namespace millrace
