// A C interface to JSON texts, as a flat array of nodes. Most texts are plain and have a reader of their own. For all
// others, the nodes are filled from simdjson's DOM.
//
// The DOM is faster than the on-demand reader: the library selects its kernels at run time, but the on-demand reader is
// compiled here, for the oldest processor of the architecture (measured: 130 and 55 million nodes a second). However,
// the DOM reports no error offsets and rejects numbers that fit no 64-bit type. So the explainer reads a rejected text,
// which is rare, a second time.

#include "CSimdJSON.h"

#include "Explainer.h"
#include "LongNumbers.h"
#include "NodeArray.h"
#include "PlainReader.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>

using namespace csimdjson;
using simdjson::error_code;

namespace {

/// Text length up to which a parser keeps its memory. After a longer text, the next shorter one releases the memory.
constexpr size_t kKeptCapacity = size_t(1) << 20;

constexpr size_t kSmallestCapacity = 4096;

constexpr uint64_t kTapePayload = (uint64_t(1) << 56) - 1;

/// Text length from which an error is reported without its place, since finding it takes twice as long as parsing.
constexpr size_t kExplainedLength = size_t(1) << 16;

/// Whether a text certainly has at most this many values and keys. Long texts with more take too long to parse.
bool isSparse(const uint8_t *text, size_t length, size_t most) {
  size_t count = 1;
  for (size_t i = 0; i < length; i++) {
    uint8_t byte = text[i];
    count += (byte == ',') | (byte == ':') | (byte == '[') | (byte == '{');
  }
  return count <= most;
}

/// Whether a container may have this many members or elements.
bool isAllowed(uint32_t length, bool isObject) {
  return length <= (isObject ? CSIMDJSON_MAXIMUM_MEMBERS : CSIMDJSON_MAXIMUM_ELEMENTS);
}

/// Converts the DOM's tape to nodes; returns an error if an object has a duplicate member, or a container or name is too
/// long.
CSimdJSONError fill(NodeArray &nodes, const simdjson::dom::document &document) {
  struct Container {
    CSimdJSONNode *node;
    uint32_t length;
    bool isObject;
  };
  // The DOM has checked the depth. The first container is the document.
  Container containers[CSIMDJSON_MAXIMUM_DEPTH + 2];
  Container *container = containers;
  *container = {nullptr, 0, false};
  bool expectsKey = false;

  const uint64_t *tape = document.tape.get();
  const uint8_t *strings = document.string_buf.get();
  // The first word has the length of the tape; the last word closes the root.
  size_t end = size_t(tape[0] & kTapePayload) - 1;
  nodes.setCount(0);
  nodes.reserve(end);
  CSimdJSONNode *node = nodes.data();

  for (size_t i = 1; i < end; i++) {
    uint64_t payload = tape[i] & kTapePayload;
    char type = char(tape[i] >> 56);
    node->length = 0;
    switch (type) {
    case '"': {
      uint32_t length;
      std::memcpy(&length, strings + payload, sizeof length);
      node->length = length;
      node->string = strings + payload + sizeof length;
      if (expectsKey) {
        if (length > CSIMDJSON_MAXIMUM_NAME) { return CSimdJSONErrorNameTooLong; }
        node->kind = CSimdJSONKindKey;
        node++;
        expectsKey = false;
        continue;
      }
      node->kind = CSimdJSONKindString;
      break;
    }
    case 'l':
      node->kind = CSimdJSONKindInteger;
      node->integer = int64_t(tape[++i]);
      break;
    case 'u':
      node->kind = CSimdJSONKindUnsignedInteger;
      node->unsignedInteger = tape[++i];
      break;
    case 'd':
      node->kind = CSimdJSONKindDouble;
      std::memcpy(&node->number, &tape[++i], sizeof node->number);
      break;
    case 't': node->kind = CSimdJSONKindTrue; break;
    case 'f': node->kind = CSimdJSONKindFalse; break;
    case '{':
    case '[':
      container->length++;
      expectsKey = type == '{';
      node->kind = expectsKey ? CSimdJSONKindObject : CSimdJSONKindArray;
      *++container = {node++, 0, expectsKey};
      continue;
    case '}':
    case ']':
      container->node->length = container->length;
      container->node->span = uint64_t(node - container->node);
      if (!isAllowed(container->length, container->isObject)) {
        return container->isObject ? CSimdJSONErrorTooManyMembers : CSimdJSONErrorTooManyElements;
      }
      if (container->isObject && nodes.repeatedKey(*container->node)) { return CSimdJSONErrorDuplicateMember; }
      container--;
      expectsKey = container->isObject;
      continue;
    default: node->kind = CSimdJSONKindNull; break;
    }
    node++;
    container->length++;
    expectsKey = container->isObject;
  }
  nodes.setCount(nodes.index(node));
  return CSimdJSONErrorNone;
}

CSimdJSONResult failure(CSimdJSONError error, int64_t offset = -1, std::string_view member = {}) {
  return {error, offset, reinterpret_cast<const uint8_t *>(member.data()), member.size(), nullptr, 0};
}

} // namespace

struct CSimdJSONParser {
  CSimdJSONResult parse(const uint8_t *text, size_t length);

private:
  NodeArray nodes_;
  PlainReader plainReader_;
  simdjson::dom::parser parser_{CSIMDJSON_MAXIMUM_LENGTH};
  LongNumbers longNumbers_;
  /// Created when the DOM first rejects a text.
  std::unique_ptr<Explainer> explainer_;

  CSimdJSONResult success() const { return {CSimdJSONErrorNone, -1, nullptr, 0, nodes_.data(), nodes_.count()}; }
  void releaseExcess();
  error_code reserve(size_t length);
  CSimdJSONResult explain(const uint8_t *text, size_t length, error_code rejection);
};

CSimdJSONResult CSimdJSONParser::parse(const uint8_t *text, size_t length) {
  if (length > CSIMDJSON_MAXIMUM_LENGTH) { return failure(CSimdJSONErrorTooLong); }
  // JSON has no byte order mark, but some releases of simdjson skip it.
  if (length >= 3 && std::memcmp(text, "\xEF\xBB\xBF", 3) == 0) { return failure(CSimdJSONErrorSyntax, 0); }
  if (length <= kKeptCapacity && parser_.capacity() > kKeptCapacity) { releaseExcess(); }

  if (length > kExplainedLength && !isSparse(text, length, CSIMDJSON_MAXIMUM_VALUES)) {
    return failure(CSimdJSONErrorTooManyValues);
  }
  // Longer texts are simdjson's, whose capacity tells when memory is to be released.
  if (length <= kKeptCapacity && plainReader_.read(text, length, nodes_)) { return success(); }
  if (error_code error = reserve(length)) { return failure(translated(error)); }
  text = longNumbers_.shortened(text, length);
  if (error_code error = parser_.parse(text, length, false).error()) { return explain(text, length, error); }
  CSimdJSONError error = fill(nodes_, parser_.doc);
  if (error == CSimdJSONErrorNone) { return success(); }
  if (length > kExplainedLength) { return failure(error); }
  return explain(text, length, simdjson::SUCCESS);
}

void CSimdJSONParser::releaseExcess() {
  parser_ = simdjson::dom::parser(CSIMDJSON_MAXIMUM_LENGTH);
  nodes_.release();
  plainReader_.release();
  longNumbers_.release();
  explainer_.reset();
}

error_code CSimdJSONParser::reserve(size_t length) {
  if (length <= parser_.capacity() && parser_.capacity() > 0) { return simdjson::SUCCESS; }
  // The extra half keeps texts that grow slowly from allocating each time.
  size_t most = length <= kKeptCapacity ? kKeptCapacity : CSIMDJSON_MAXIMUM_LENGTH;
  size_t capacity = std::min(most, std::max(kSmallestCapacity, length + length / 2));
  return parser_.allocate(capacity, CSIMDJSON_MAXIMUM_DEPTH + 1);
}

CSimdJSONResult CSimdJSONParser::explain(const uint8_t *text, size_t length, error_code rejection) {
  if (!explainer_) { explainer_ = std::make_unique<Explainer>(); }
  Explainer::Outcome outcome = explainer_->read(text, length, nodes_);
  if (outcome.error != CSimdJSONErrorNone) { return failure(outcome.error, outcome.offset, outcome.member); }
  // The explainer visits every value, so only numbers out of range were rejected.
  if (outcome.sawNumberOutOfRange) { return success(); }
  return failure(translated(rejection));
}

CSimdJSONParser *csimdjson_parser_create(void) { return new (std::nothrow) CSimdJSONParser; }

void csimdjson_parser_destroy(CSimdJSONParser *parser) { delete parser; }

CSimdJSONResult csimdjson_parse(CSimdJSONParser *parser, const uint8_t *text, size_t length) {
  try {
    return parser->parse(text, length);
  } catch (const std::bad_alloc &) {
    return failure(CSimdJSONErrorNoMemory);
  }
}

namespace {

/// Below this, a number in thousandths has fifteen digits at most.
constexpr double MOST_DECIMAL = 1e12;

/// Writes a number that has three decimals at most, such as a screen's coordinates; returns 0 for others.
///
/// Different decimals with up to fifteen digits are different doubles. So if the number is the double nearest to so many
/// thousandths, these are its shortest form, once the zeros at the end are dropped. Dividing gives the nearest double.
size_t writeDecimal(double value, double magnitude, char *text) {
  uint64_t thousandths = uint64_t(magnitude * 1000 + 0.5);
  if (double(thousandths) / 1000 != magnitude) return 0;
  char *next = text;
  if (value < 0) *next++ = '-';
  uint64_t whole = thousandths / 1000;
  unsigned part = unsigned(thousandths % 1000);
  next = std::to_chars(next, text + CSIMDJSON_DOUBLE_LENGTH, whole).ptr;
  *next++ = '.';
  *next++ = char('0' + part / 100);
  if (part % 100 != 0) {
    *next++ = char('0' + part / 10 % 10);
    if (part % 10 != 0) *next++ = char('0' + part % 10);
  }
  return size_t(next - text);
}

}  // namespace

size_t csimdjson_write_double(double value, char *text) {
  if (value == 0) {
    *text = '0';
    return 1;
  }
  char *end = text + CSIMDJSON_DOUBLE_LENGTH;
  double magnitude = std::fabs(value);
  if (magnitude < 0x1p53 && double(int64_t(value)) == value) {
    return size_t(std::to_chars(text, end, int64_t(value)).ptr - text);
  }
  if (magnitude < MOST_DECIMAL) {
    if (size_t count = writeDecimal(value, magnitude, text)) return count;
  }
  // A whole number above 64 bits needs an exponent: as an integer it would be out of range.
  bool isPlain = magnitude >= 1e-7 && magnitude < 0x1p63;
  auto format = isPlain ? std::chars_format::fixed : std::chars_format::scientific;
  return size_t(std::to_chars(text, end, value, format).ptr - text);
}
