#include "PlainReader.h"

#include <algorithm>
#include <cstring>

namespace csimdjson {

namespace {

/// Nesting depth up to which a text is plain.
constexpr int kPlainDepth = 16;

/// The maximum number of digits of a number: all such numbers fit into 64 bits.
constexpr size_t kMostDigits = 18;

/// The greatest significand that a double holds exactly. Dividing it by an exact power of ten gives the nearest double.
constexpr uint64_t kMostExact = uint64_t(1) << 53;

constexpr double kPowers[kMostDigits + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                             1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kHighBits = kOnes << 7;

/// Returns eight bytes, of which the first is the lowest.
uint64_t loadEight(const uint8_t *bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/// Sixteen bytes. The compiler has vectors on every processor, and other compilers than clang cannot build Swift packages.
typedef int8_t Sixteen __attribute__((ext_vector_type(16)));
typedef bool SixteenBits __attribute__((ext_vector_type(16)));

Sixteen loadSixteen(const uint8_t *bytes) {
  Sixteen loaded;
  std::memcpy(&loaded, bytes, sizeof loaded);
  return loaded;
}

/// Returns a bit for each of sixteen bytes, the lowest for the first: whether it ends a string or is not plain in one.
unsigned marksOfEnd(Sixteen bytes) {
  // With bit 1 inverted, quotes and control characters are those below 0x21. Bytes that are not ASCII are negative.
  SixteenBits special = __builtin_convertvector(((bytes ^ 2) < 0x21) | (bytes == '\\'), SixteenBits);
  uint16_t marks;
  std::memcpy(&marks, &special, sizeof marks);
  return marks;
}

/// Returns whether eight bytes, less '0' each, are digits.
bool areDigits(uint64_t digits) { return (((digits + kOnes * (0x7F - 9)) | digits) & kHighBits) == 0; }

/// Returns the number that eight digits, less '0' each, make up.
uint64_t valueOfEight(uint64_t digits) {
  digits = (digits * (1 + (10 << 8)) >> 8) & 0x00FF00FF00FF00FF;
  digits = (digits * (1 + (100 << 16)) >> 16) & 0x0000FFFF0000FFFF;
  return digits * (1 + (uint64_t(10000) << 32)) >> 32;
}

/// Reads digits, and adds them to the end of a number, which means nothing if there are too many. Reads at most 24.
inline const uint8_t *readDigits(const uint8_t *next, uint64_t &value) {
  const uint8_t *most = next + 24;
  uint64_t digits = loadEight(next) ^ kOnes * '0';
  while (areDigits(digits)) {
    value = value * 100000000 + valueOfEight(digits);
    next += 8;
    if (next == most) { return next; }
    digits = loadEight(next) ^ kOnes * '0';
  }
  // One of the next eight bytes is no digit.
  for (uint8_t digit; (digit = uint8_t(*next - '0')) <= 9; next++) { value = value * 10 + digit; }
  return next;
}

/// Reads a number into a node. Returns the place after it; null if it is not plain.
inline const uint8_t *readNumber(const uint8_t *next, CSimdJSONNode &node) {
  bool isNegative = *next == '-';
  const uint8_t *first = next + isNegative;
  uint64_t value = 0;
  next = readDigits(first, value);
  size_t count = size_t(next - first);
  if (count == 0 || count > kMostDigits || (*first == '0' && count > 1)) { return nullptr; }
  node.length = 0;
  if (*next != '.') {
    node.kind = CSimdJSONKindInteger;
    node.integer = isNegative ? -int64_t(value) : int64_t(value);
    return next;
  }
  const uint8_t *fraction = next + 1;
  next = readDigits(fraction, value);
  size_t decimals = size_t(next - fraction);
  if (decimals == 0 || count + decimals > kMostDigits || value > kMostExact) { return nullptr; }
  double number = double(int64_t(value)) / kPowers[decimals];
  node.kind = CSimdJSONKindDouble;
  node.number = isNegative ? -number : number;
  return next;
}

/// Returns a bit for a name. An object whose names have different bits has no duplicate member. Those of an event's members
/// differ, but for `minimumZoomScale` and `maximumZoomScale`.
uint64_t bitOfName(const CSimdJSONNode &key) {
  if (key.length == 0) { return 1; }
  return uint64_t(1) << ((key.length * 2 + key.string[0] * 5u + key.string[key.length - 1]) & 63);
}

/// A container that is not yet closed.
struct Container {
  CSimdJSONNode *node;
  /// The closing bracket; 0 for the text itself.
  uint8_t end;
  /// The bits of the members' names.
  uint64_t names;
  bool mayRepeat;
};

} // namespace

bool PlainReader::read(const uint8_t *text, size_t length, NodeArray &nodes) {
  // Strings are copied in sixteens, also the last bytes.
  size_t capacity = length + sizeof(Sixteen);
  if (stringsCapacity_ < capacity) {
    stringsCapacity_ = std::max(capacity, stringsCapacity_ * 2);
    strings_.reset(new uint8_t[stringsCapacity_]);
  }
  // A node takes at least two bytes of the text, with its comma or bracket, unless it is a container that is not yet closed.
  nodes.setCount(0);
  nodes.reserve(length / 2 + kPlainDepth + 1);

  const uint8_t *next = text;
  const uint8_t *end = text + length;
  CSimdJSONNode *node = nodes.data();
  uint8_t *string = strings_.get();
  // The first container is the text itself, in which no comma is allowed.
  CSimdJSONNode whole;
  whole.length = 0;
  Container containers[kPlainDepth + 1];
  Container *container = containers;
  *container = {&whole, 0, 0, false};

  auto readString = [&](CSimdJSONKind kind) {
    uint8_t *copy = string;
    next++;
    unsigned marks;
    while (true) {
      Sixteen bytes = loadSixteen(next);
      std::memcpy(copy, &bytes, sizeof bytes);
      marks = marksOfEnd(bytes);
      if (marks != 0) { break; }
      next += sizeof bytes;
      copy += sizeof bytes;
      if (next >= end) { return false; }
    }
    size_t rest = size_t(__builtin_ctz(marks));
    next += rest;
    copy += rest;
    if (next >= end || *next != '"') { return false; }
    next++;
    node->kind = kind;
    node->length = uint32_t(copy - string);
    node->string = string;
    string = copy;
    return true;
  };
  auto readWord = [&](const char (&word)[5], size_t count, CSimdJSONKind kind) {
    if (std::memcmp(next + count - 4, word, 4) != 0) { return false; }
    next += count;
    node->kind = kind;
    node->length = 0;
    return true;
  };

  while (true) {
    while (*next == ' ' && next < end) { next++; }
    if (next >= end) { return false; }
    if (container->end == '}') {
      if (*next != '"' || !readString(CSimdJSONKindKey) || node->length > CSIMDJSON_MAXIMUM_NAME) { return false; }
      uint64_t name = bitOfName(*node);
      container->mayRepeat |= (container->names & name) != 0;
      container->names |= name;
      node++;
      if (*next++ != ':') { return false; }
      while (*next == ' ' && next < end) { next++; }
      if (next >= end) { return false; }
    }
    switch (*next) {
    case '{':
    case '[': {
      if (container == containers + kPlainDepth) { return false; }
      node->kind = *next == '{' ? CSimdJSONKindObject : CSimdJSONKindArray;
      // The closing brackets come two places after the opening ones.
      *++container = {node++, uint8_t(*next + 2), 0, false};
      next++;
      bool isEmpty = *next == container->end;
      container->node->length = isEmpty ? 0 : 1;
      if (isEmpty) { break; }
      continue;
    }
    case '"':
      if (!readString(CSimdJSONKindString)) { return false; }
      node++;
      break;
    case 'n':
      if (!readWord("null", 4, CSimdJSONKindNull)) { return false; }
      node++;
      break;
    case 't':
      if (!readWord("true", 4, CSimdJSONKindTrue)) { return false; }
      node++;
      break;
    case 'f':
      if (!readWord("alse", 5, CSimdJSONKindFalse)) { return false; }
      node++;
      break;
    default:
      next = readNumber(next, *node);
      if (next == nullptr) { return false; }
      node++;
      break;
    }
    // The value is the last one of as many containers as now end.
    while (*next != ',') {
      if (container == containers) {
        nodes.setCount(nodes.index(node));
        return next == end && whole.length == 0;
      }
      if (next >= end || *next++ != container->end) { return false; }
      CSimdJSONNode &closed = *container->node;
      closed.span = uint64_t(node - container->node);
      if (container->end == '}') {
        if (closed.length > CSIMDJSON_MAXIMUM_MEMBERS) { return false; }
        if (container->mayRepeat && nodes.repeatedKey(closed)) { return false; }
      } else if (closed.length > CSIMDJSON_MAXIMUM_ELEMENTS) {
        return false;
      }
      container--;
    }
    container->node->length++;
    next++;
  }
}

void PlainReader::release() {
  strings_.reset();
  stringsCapacity_ = 0;
}

} // namespace csimdjson
