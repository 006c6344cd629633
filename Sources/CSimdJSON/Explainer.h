#pragma once

#include "NodeArray.h"

#include <simdjson.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace csimdjson {

CSimdJSONError translated(simdjson::error_code error);

/// A slow reader, which finds the offset of an error and accepts numbers that fit no 64-bit type.
///
/// It visits every value, since simdjson's on-demand reader validates only the values that it visits. It would accept
/// `tru`, `01` or `[1 2]` in a value that was skipped.
class Explainer {
public:
  struct Outcome {
    CSimdJSONError error;
    /// Offset of the error from the start of the text, in bytes; -1 when not known.
    int64_t offset;
    /// Name of the member that has the error; empty when not known. Valid until the next text.
    std::string_view member;
    bool sawNumberOutOfRange;
  };

  /// Fills `nodes` from a text. Their strings are valid until the next text.
  Outcome read(const uint8_t *text, size_t length, NodeArray &nodes);

private:
  simdjson::ondemand::parser parser_{CSIMDJSON_MAXIMUM_LENGTH};
  simdjson::ondemand::document document_;
  /// A copy of the text, padded with zeros, which the reader reaches when a closing bracket is missing.
  simdjson::padded_string text_;
  NodeArray *nodes_ = nullptr;
  /// Offsets of the keys, by node; 0 for other nodes.
  std::vector<uint32_t> keyOffsets_;
  std::string_view member_;
  /// Offset of the error, if it is known more precisely than the reader's offset; -1 otherwise.
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
