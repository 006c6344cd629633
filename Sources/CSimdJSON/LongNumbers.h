#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace csimdjson {

/// Writes numbers of twenty digits and more as shorter ones that are the same doubles.
///
/// simdjson converts those by an algorithm that takes some 10 µs for each, a hundred times as long as for others. So a
/// message of 1 MB could occupy its reader for half a second.
class LongNumbers {
public:
  /// Returns the text, or a copy that has spaces in place of the digits left out, so that all offsets stay the same.
  ///
  /// Numbers out of range stay out of range, integers and texts that are no JSON stay as they are. It takes time linear in
  /// the length of the text. The copy has the padding that simdjson needs, and is valid until the next call.
  const uint8_t *shortened(const uint8_t *text, size_t length);

  /// Releases the memory of the copy.
  void release();

private:
  std::vector<char> copy_;
};

} // namespace csimdjson
