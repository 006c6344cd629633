#include "NodeArray.h"

#include <algorithm>
#include <cstring>

namespace csimdjson {

namespace {

/// Up to this number, members are compared pairwise. More are sorted, so that a million don't take quadratic time.
constexpr uint32_t kFewMembers = 16;

/// Returns the key after the value of a key.
const CSimdJSONNode *nextKey(const CSimdJSONNode *key) {
  const CSimdJSONNode *value = key + 1;
  bool isContainer = value->kind == CSimdJSONKindObject || value->kind == CSimdJSONKindArray;
  return value + (isContainer ? value->span : 1);
}

/// Orders keys so that equal keys are adjacent, in the order of the text.
bool precedes(const CSimdJSONNode *a, const CSimdJSONNode *b) {
  if (a->length != b->length) { return a->length < b->length; }
  int order = std::memcmp(a->string, b->string, a->length);
  return order != 0 ? order < 0 : a < b;
}

} // namespace

void NodeArray::reserve(size_t count) {
  if (count <= capacity_) { return; }
  size_t capacity = std::max(count, capacity_ * 2);
  std::unique_ptr<CSimdJSONNode[]> larger(new CSimdJSONNode[capacity]);
  std::copy_n(nodes_.get(), count_, larger.get());
  nodes_ = std::move(larger);
  capacity_ = capacity;
}

size_t NodeArray::append(CSimdJSONKind kind) {
  reserve(count_ + 1);
  CSimdJSONNode &node = nodes_[count_];
  node.kind = kind;
  node.length = 0;
  node.integer = 0;
  return count_++;
}

const CSimdJSONNode *NodeArray::repeatedKey(const CSimdJSONNode &object) {
  const CSimdJSONNode *key = &object + 1;
  if (object.length <= kFewMembers) {
    const CSimdJSONNode *keys[kFewMembers];
    for (uint32_t i = 0; i < object.length; i++, key = nextKey(key)) {
      for (uint32_t j = 0; j < i; j++) {
        if (keys[j]->length == key->length && text(*keys[j]) == text(*key)) { return key; }
      }
      keys[i] = key;
    }
    return nullptr;
  }

  sortedKeys_.clear();
  for (uint32_t i = 0; i < object.length; i++, key = nextKey(key)) { sortedKeys_.push_back(key); }
  std::sort(sortedKeys_.begin(), sortedKeys_.end(), precedes);
  const CSimdJSONNode *first = nullptr;
  for (size_t i = 1; i < sortedKeys_.size(); i++) {
    const CSimdJSONNode *later = sortedKeys_[i];
    if (text(*sortedKeys_[i - 1]) == text(*later) && (first == nullptr || later < first)) { first = later; }
  }
  return first;
}

void NodeArray::release() {
  nodes_.reset();
  capacity_ = 0;
  count_ = 0;
  sortedKeys_ = {};
}

} // namespace csimdjson
