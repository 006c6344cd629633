#pragma once

#include "NodeArray.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace csimdjson {

/// A fast reader of texts of the plain kind that programs write: strings in ASCII without escapes, numbers of at most 18
/// digits without an exponent, and no spaces but before keys and values.
///
/// It fills the nodes in one pass. simdjson makes a list of brackets and quotes, and from it a tape of values and copies of
/// the strings, from which the nodes still have to be filled.
class PlainReader {
public:
  /// Fills `nodes` from a text, after which `CSIMDJSON_PADDING` more bytes must be readable. Their strings are valid until
  /// the next text.
  ///
  /// Returns whether the text is plain. If not, it may be valid or not, and the nodes mean nothing.
  bool read(const uint8_t *text, size_t length, NodeArray &nodes);
  /// Releases all memory.
  void release();

private:
  /// Copies of the strings, so that nodes don't depend on the text.
  std::unique_ptr<uint8_t[]> strings_;
  size_t stringsCapacity_ = 0;
};

} // namespace csimdjson
