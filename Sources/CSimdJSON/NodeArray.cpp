#include "NodeArray.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace csimdjson {

namespace {

/// Up to this number, members are compared pairwise. More are looked up in a table, so that many don't take quadratic time.
constexpr uint32_t kFewMembers = 16;

/// Returns the key after the value of a key.
const CSimdJSONNode *nextKey(const CSimdJSONNode *key) {
  const CSimdJSONNode *value = key + 1;
  bool isContainer = value->kind == CSimdJSONKindObject || value->kind == CSimdJSONKindArray;
  return value + (isContainer ? value->span : 1);
}

/// Returns a hash that nobody outside the process can predict, so that no text makes many keys collide.
uint64_t hash(std::string_view key, uint64_t seed) {
  uint64_t hash = seed ^ key.size();
  auto mix = [&](uint64_t word) {
    unsigned __int128 product = static_cast<unsigned __int128>(hash ^ word) * 0x9E3779B97F4A7C15;
    hash = (uint64_t(product) ^ uint64_t(product >> 64)) + seed;
  };
  size_t i = 0;
  for (; i + sizeof(uint64_t) <= key.size(); i += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, key.data() + i, sizeof word);
    mix(word);
  }
  uint64_t rest = 0;
  if (i < key.size()) { std::memcpy(&rest, key.data() + i, key.size() - i); }
  mix(rest);
  mix(seed);
  return hash;
}

} // namespace

NodeArray::NodeArray() {
  std::random_device random;
  seed_ = uint64_t(random()) << 32 | random();
}

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

  // At least half of the table stays empty.
  size_t size = 1;
  while (size < 2 * size_t(object.length)) { size *= 2; }
  table_.assign(size, nullptr);
  for (uint32_t i = 0; i < object.length; i++, key = nextKey(key)) {
    size_t slot = hash(text(*key), seed_) & (size - 1);
    while (table_[slot] != nullptr) {
      if (text(*table_[slot]) == text(*key)) { return key; }
      slot = (slot + 1) & (size - 1);
    }
    table_[slot] = key;
  }
  return nullptr;
}

void NodeArray::release() {
  nodes_.reset();
  capacity_ = 0;
  count_ = 0;
  table_ = {};
}

} // namespace csimdjson
