#include "engine/filter/fields.h"

#include <iterator>

namespace millrace {

namespace {

// Takes the first name off a path.
ByteView take_name(ByteView& path) {
  const size_t dot = path.find('.');
  const ByteView name = path.substr(0, dot);
  path = dot == ByteView::npos ? ByteView() : path.substr(dot + 1);
  return name;
}

// The node with this name below a node. A filter names its fields in ascending order, so that a new name is often the
// last one.
Fields::Node& child_of(Fields::Node& node, ByteView name) {
  if (node.children == nullptr) node.children = std::make_unique<Fields::Node::Children>();
  auto& children = *node.children;
  const bool is_last = !children.empty() && std::prev(children.end())->first < name;
  const auto place = is_last ? children.end() : children.lower_bound(name);
  if (place != children.end() && place->first == name) return place->second;
  return children.try_emplace(place, std::string(name))->second;
}

// Removes the path below the node, and every node without a field below it.
void remove(Fields::Node& node, ByteView path, bool is_last) {
  if (is_last) {
    node.field = FieldId::none();
    return;
  }
  const bool last = path.find('.') == ByteView::npos;
  const auto found = node.children->find(take_name(path));
  Fields::Node& child = found->second;
  remove(child, path, last);
  if (child.field.is_some() || child.children != nullptr) return;
  node.children->erase(found);
  if (node.children->empty()) node.children.reset();
}

}  // namespace

Fields Fields::clone() const {
  Fields copy;
  copy_names(root_, copy.root_);
  copy.uses_ = uses_;
  copy.free_ = free_;
  return copy;
}

void Fields::copy_names(const Node& from, Node& to) {
  to.field = from.field;
  if (from.children == nullptr) return;
  to.children = std::make_unique<Node::Children>();
  for (const auto& [name, child] : *from.children) {
    copy_names(child, to.children->try_emplace(to.children->end(), name)->second);
  }
}

FieldId Fields::use(ByteView whole) {
  ByteView path = whole;
  Node* node = &root_;
  for (bool more = true; more;) {
    more = path.find('.') != ByteView::npos;
    const ByteView name = take_name(path);
    node = &child_of(*node, name);
  }
  if (node->field.is_none()) {
    if (free_.empty()) {
      free_.push_back(FieldId(static_cast<uint32_t>(uses_.size())));
      uses_.emplace_back();
    }
    node->field = free_.back();
    free_.pop_back();
    uses_[node->field.value()].path = whole;
  }
  ++uses_[node->field.value()].filters;
  return node->field;
}

FieldId Fields::find(ByteView path) const {
  const Node* node = &root_;
  for (bool more = true; more;) {
    more = path.find('.') != ByteView::npos;
    node = node->child(take_name(path));
    if (node == nullptr) return FieldId::none();
  }
  return node->field;
}

void Fields::release(FieldId field) {
  Use& use = uses_[field.value()];
  if (--use.filters != 0) return;
  remove(root_, use.path, false);
  use.path = std::string();
  free_.push_back(field);
  if (free_.size() == uses_.size()) {
    uses_ = std::vector<Use>();
    free_ = std::vector<FieldId>();
  }
}

uint64_t Fields::memory() const {
  uint64_t bytes = uses_.capacity() * sizeof(Use) + free_.capacity() * sizeof(FieldId);
  // A name is in the tree and in the path.
  constexpr size_t kNode = sizeof(Node) + 32 + sizeof(std::string);
  for (const Use& use : uses_) {
    if (use.filters != 0) bytes += kNode + 2 * use.path.capacity();
  }
  return bytes;
}

const char* Fields::check() const {
  size_t used = 0;
  for (uint32_t i = 0; i < uses_.size(); ++i) {
    if (uses_[i].filters == 0) continue;
    ++used;
    if (find(uses_[i].path) != FieldId(i)) return "a field is not found by its path";
  }
  if (used + free_.size() != uses_.size()) return "a field is neither used nor free";
  return uses_.empty() && root_.children != nullptr ? "a name leads nowhere" : nullptr;
}

}  // namespace millrace
