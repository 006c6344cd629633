#pragma once

#include "CSimdJSON.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace csimdjson {

inline std::string_view text(const CSimdJSONNode &node) {
  return std::string_view(reinterpret_cast<const char *>(node.string), node.length);
}

/// A growable array of nodes, which both readers fill.
class NodeArray {
public:
  NodeArray();
  CSimdJSONNode *data() { return nodes_.get(); }
  const CSimdJSONNode *data() const { return nodes_.get(); }
  size_t count() const { return count_; }
  void setCount(size_t count) { count_ = count; }
  size_t index(const CSimdJSONNode *node) const { return size_t(node - nodes_.get()); }
  CSimdJSONNode &operator[](size_t index) { return nodes_[index]; }

  /// Reserves memory for `count` nodes in total and keeps the existing nodes. Invalidates pointers to nodes.
  void reserve(size_t count);
  /// Appends a node of length 0 and returns its index.
  size_t append(CSimdJSONKind kind);
  /// Returns the first key of a finished object that equals an earlier one, or null.
  const CSimdJSONNode *repeatedKey(const CSimdJSONNode &object);
  /// Releases all memory.
  void release();

private:
  std::unique_ptr<CSimdJSONNode[]> nodes_;
  size_t capacity_ = 0;
  size_t count_ = 0;
  /// The keys of a large object, by hash.
  std::vector<const CSimdJSONNode *> table_;
  uint64_t seed_;
};

} // namespace csimdjson
