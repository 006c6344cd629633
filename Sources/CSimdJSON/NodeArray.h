// The growing array of nodes that both readers fill.
#pragma once

#include "CSimdJSON.h"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace csimdjson {

inline std::string_view text(const CSimdJSONNode &node) {
  return std::string_view(reinterpret_cast<const char *>(node.string), node.length);
}

class NodeArray {
public:
  CSimdJSONNode *data() { return nodes_.get(); }
  const CSimdJSONNode *data() const { return nodes_.get(); }
  size_t count() const { return count_; }
  void setCount(size_t count) { count_ = count; }
  size_t index(const CSimdJSONNode *node) const { return size_t(node - nodes_.get()); }
  CSimdJSONNode &operator[](size_t index) { return nodes_[index]; }

  /// Makes room for `count` nodes in all and keeps those that are there; pointers to nodes may end.
  void reserve(size_t count);
  /// Appends a node of length 0 and returns its index.
  size_t append(CSimdJSONKind kind);
  /// The first key of a finished object that equals one before it, or null.
  const CSimdJSONNode *repeatedKey(const CSimdJSONNode &object);
  /// Gives all memory back.
  void release();

private:
  std::unique_ptr<CSimdJSONNode[]> nodes_;
  size_t capacity_ = 0;
  size_t count_ = 0;
  std::vector<const CSimdJSONNode *> sortedKeys_;
};

} // namespace csimdjson
