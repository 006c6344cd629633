// The C door to simdjson: one JSON text in, a flat array of nodes out.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#define CSIMDJSON_CLOSED __attribute__((enum_extensibility(closed)))
#else
#define CSIMDJSON_CLOSED
#endif

/// Bytes that must be readable behind a text, whatever stands in them.
#define CSIMDJSON_PADDING 64

/// Containers may be nested this deep; one more is `CSimdJSONErrorTooDeep`.
#define CSIMDJSON_MAXIMUM_DEPTH 64

/// The longest text, in bytes: node indexes and lengths have 32 bits.
#define CSIMDJSON_MAXIMUM_LENGTH 0x3FFFFFFF

/// Bytes that `csimdjson_write_double` may need.
#define CSIMDJSON_DOUBLE_LENGTH 32

typedef enum CSIMDJSON_CLOSED CSimdJSONKind : uint8_t {
  CSimdJSONKindNull = 0,
  CSimdJSONKindFalse = 1,
  CSimdJSONKindTrue = 2,
  /// `integer`: every integer from Int64.min to Int64.max.
  CSimdJSONKindInteger = 3,
  /// `unsignedInteger`: Int64.max + 1 to UInt64.max.
  CSimdJSONKindUnsignedInteger = 4,
  /// `number`: written with a fraction or an exponent, and finite.
  CSimdJSONKindDouble = 5,
  /// Good grammar, but neither a 64-bit integer nor a finite double: 2^64, 1e400.
  CSimdJSONKindNumberOutOfRange = 6,
  /// `string` and `length`: UTF-8 with the escapes resolved, not terminated.
  CSimdJSONKindString = 7,
  /// `length` members, each a key and a value; `span` is how many nodes the object takes, itself included.
  CSimdJSONKindObject = 8,
  /// `length` elements; `span` as for objects.
  CSimdJSONKindArray = 9,
  /// A member's name, as a string; the member's value follows.
  CSimdJSONKindKey = 10,
} CSimdJSONKind;

typedef struct CSimdJSONNode {
  CSimdJSONKind kind;
  uint32_t length;
  union {
    int64_t integer;
    uint64_t unsignedInteger;
    double number;
    const uint8_t *string;
    uint64_t span;
  };
} CSimdJSONNode;

typedef enum CSIMDJSON_CLOSED CSimdJSONError : uint8_t {
  CSimdJSONErrorNone = 0,
  /// Nothing but white space.
  CSimdJSONErrorEmpty = 1,
  CSimdJSONErrorSyntax = 2,
  CSimdJSONErrorInvalidUTF8 = 3,
  /// A bad escape, a lone surrogate, a bare control character.
  CSimdJSONErrorInvalidString = 4,
  CSimdJSONErrorInvalidNumber = 5,
  CSimdJSONErrorTooDeep = 6,
  CSimdJSONErrorDuplicateMember = 7,
  /// Something stands behind the value.
  CSimdJSONErrorTrailingContent = 8,
  /// Longer than `CSIMDJSON_MAXIMUM_LENGTH`.
  CSimdJSONErrorTooLong = 9,
  CSimdJSONErrorNoMemory = 10,
  /// The text begins an object, an array or a string, and doesn't end with what closes it.
  CSimdJSONErrorUnterminated = 11,
} CSimdJSONError;

typedef struct CSimdJSONParser CSimdJSONParser;

typedef struct CSimdJSONResult {
  CSimdJSONError error;
  /// Where the error is, in bytes from the start of the text; -1 when not known.
  int64_t offset;
  /// Name of the member that was being read, or the repeated one; null when not known. The parser owns it.
  const uint8_t *member;
  size_t memberLength;
  /// The nodes, the root first; the parser owns them. Valid, like every string in them, until it parses again.
  const CSimdJSONNode *nodes;
  size_t count;
} CSimdJSONResult;

/// Null when there is no memory.
CSimdJSONParser *csimdjson_parser_create(void);
void csimdjson_parser_destroy(CSimdJSONParser *parser);

/// Parses one JSON text of `length` bytes, behind which `CSIMDJSON_PADDING` more must be readable.
///
/// The whole text is checked: grammar, numbers, UTF-8, escapes, repeated members, depth, and that nothing follows.
CSimdJSONResult csimdjson_parse(CSimdJSONParser *parser, const uint8_t *text, size_t length);

/// Writes the shortest text that reads back as `value`, which must be finite, and returns its length.
///
/// Whole numbers are written without a fraction (`3`), and nothing between 1e-7 and 2^63 with an exponent. Minus zero is
/// written `0`. `text` has room for `CSIMDJSON_DOUBLE_LENGTH` bytes.
size_t csimdjson_write_double(double value, char *text);

#ifdef __cplusplus
}
#endif
