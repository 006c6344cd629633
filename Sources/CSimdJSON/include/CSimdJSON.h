// A C interface to simdjson, which parses a JSON text into a flat array of nodes.
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

/// Number of bytes of any value that must be readable after a text.
#define CSIMDJSON_PADDING 64

/// Maximum nesting depth of containers.
#define CSIMDJSON_MAXIMUM_DEPTH 64

/// Maximum number of members of an object.
#define CSIMDJSON_MAXIMUM_MEMBERS 1024

/// Maximum length of a member's name, in bytes: errors repeat names.
#define CSIMDJSON_MAXIMUM_NAME 1024

/// Maximum number of elements of an array.
#define CSIMDJSON_MAXIMUM_ELEMENTS 65536

/// The maximum number of values and keys of a text of more than 64 KiB. Commas, colons and brackets in strings count, too.
#define CSIMDJSON_MAXIMUM_VALUES 262144

/// Maximum length of a text, in bytes, since indexes and lengths of nodes have 32 bits.
#define CSIMDJSON_MAXIMUM_LENGTH 0x3FFFFFFF

/// Maximum length of a text of `csimdjson_write_double`, in bytes.
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
  /// A valid number that fits neither a 64-bit integer nor a finite double: 2^64, 1e400.
  CSimdJSONKindNumberOutOfRange = 6,
  /// `string` and `length`: UTF-8 with the escapes resolved, not terminated.
  CSimdJSONKindString = 7,
  /// `length` members, each a key and a value; `span` is the number of nodes, including the object itself.
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
  /// The text is empty or only white space.
  CSimdJSONErrorEmpty = 1,
  CSimdJSONErrorSyntax = 2,
  CSimdJSONErrorInvalidUTF8 = 3,
  /// An invalid escape, a lone surrogate or an unescaped control character.
  CSimdJSONErrorInvalidString = 4,
  CSimdJSONErrorInvalidNumber = 5,
  CSimdJSONErrorTooDeep = 6,
  CSimdJSONErrorDuplicateMember = 7,
  /// Something other than white space follows the value.
  CSimdJSONErrorTrailingContent = 8,
  /// Longer than `CSIMDJSON_MAXIMUM_LENGTH`.
  CSimdJSONErrorTooLong = 9,
  CSimdJSONErrorNoMemory = 10,
  /// The text ends inside an object, an array or a string.
  CSimdJSONErrorUnterminated = 11,
  /// An object has more members than `CSIMDJSON_MAXIMUM_MEMBERS`.
  CSimdJSONErrorTooManyMembers = 12,
  /// An array has more elements than `CSIMDJSON_MAXIMUM_ELEMENTS`.
  CSimdJSONErrorTooManyElements = 13,
  /// The text may have more values and keys than `CSIMDJSON_MAXIMUM_VALUES`.
  CSimdJSONErrorTooManyValues = 14,
  /// A member's name is longer than `CSIMDJSON_MAXIMUM_NAME`.
  CSimdJSONErrorNameTooLong = 15,
} CSimdJSONError;

typedef struct CSimdJSONParser CSimdJSONParser;

typedef struct CSimdJSONResult {
  CSimdJSONError error;
  /// Offset of the error from the start of the text, in bytes; -1 when not known.
  int64_t offset;
  /// Name of the member that has the error; null when not known. The parser owns it.
  const uint8_t *member;
  size_t memberLength;
  /// The nodes, beginning with the root. The parser owns them and their strings, which are valid until it parses again.
  const CSimdJSONNode *nodes;
  size_t count;
} CSimdJSONResult;

/// Creates a parser; returns null when out of memory.
CSimdJSONParser *csimdjson_parser_create(void);
void csimdjson_parser_destroy(CSimdJSONParser *parser);

/// Parses a JSON text of `length` bytes, after which `CSIMDJSON_PADDING` more must be readable.
///
/// Validates the whole text: grammar, numbers, UTF-8, escapes, duplicate members, depth, numbers of members and elements, and
/// that nothing follows. Takes time linear in the length.
CSimdJSONResult csimdjson_parse(CSimdJSONParser *parser, const uint8_t *text, size_t length);

/// Writes the shortest text that parses to `value`, which must be finite, and returns its length.
///
/// Whole numbers have no fraction (`3`), and numbers from 1e-7 up to 2^63 have no exponent. Negative zero becomes `0`.
/// `text` has room for `CSIMDJSON_DOUBLE_LENGTH` bytes.
size_t csimdjson_write_double(double value, char *text);

#ifdef __cplusplus
}
#endif
