// The slow reader: says where a text is wrong, and reads numbers that fit no 64-bit type.
#pragma once

#include "NodeArray.h"

#include <simdjson.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace csimdjson {

CSimdJSONError translated(simdjson::error_code error);

/// Reads a text with simdjson's on-demand reader, visiting every value to its end.
///
/// That reader checks only what is visited: `tru`, `01` or `[1 2]` inside a value that was skipped would pass it.
class Explainer {
public:
  struct Outcome {
    CSimdJSONError error;
    /// Bytes from the start of the text, -1 when not known.
    int64_t offset;
    /// Name of the member that was being read; empty when not known. Valid until the next text.
    std::string_view member;
    bool sawNumberOutOfRange;
  };

  /// Fills `nodes` from a text. Their strings are valid until the next text.
  Outcome read(const uint8_t *text, size_t length, NodeArray &nodes);

private:
  simdjson::ondemand::parser parser_{CSIMDJSON_MAXIMUM_LENGTH};
  simdjson::ondemand::document document_;
  /// A copy of the text with zeros behind it: where a closing bracket is missing the reader looks there.
  simdjson::padded_string text_;
  NodeArray *nodes_ = nullptr;
  /// Offsets of the keys, by node; 0 for other nodes.
  std::vector<uint32_t> keyOffsets_;
  std::string_view member_;
  /// Where the error is, when that is known better than from where the reader stands.
  int64_t offset_ = -1;
  bool sawNumberOutOfRange_ = false;

  int64_t offset(const char *place) const { return place - text_.data(); }
  int64_t currentOffset();

  CSimdJSONError readRoot();
  CSimdJSONError readEnd(simdjson::ondemand::json_type type);
  CSimdJSONError readValue(simdjson::ondemand::value value, int depth);
  CSimdJSONError readObject(simdjson::ondemand::object object, int depth);
  CSimdJSONError readArray(simdjson::ondemand::array array, int depth);
  template <typename Scalar> CSimdJSONError readScalar(Scalar &scalar, simdjson::ondemand::json_type type);
  template <typename Scalar> CSimdJSONError readNumber(Scalar &scalar);
};

} // namespace csimdjson
