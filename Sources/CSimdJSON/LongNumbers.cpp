#include "LongNumbers.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace csimdjson {

namespace {

/// From so many characters on, a significand may have more digits than simdjson's fast conversion takes.
constexpr size_t kLong = 20;

/// The exponents of ten that a double's leading digit has, roughly: the conversion decides about those in between.
constexpr int64_t kGreatestExponent = 310;
constexpr int64_t kLeastExponent = -330;

bool isDigit(char byte) { return byte >= '0' && byte <= '9'; }

/// Returns whether a character may be in a significand. One comparison covers the point and the digits; the slash between
/// them does no harm, as it is in no number.
bool isOfSignificand(char byte) { return uint8_t(byte - '.') <= '9' - '.'; }

/// Finds out whether places of a text are within strings. Ask for places in ascending order.
class Strings {
public:
  explicit Strings(const char *text) : next_(text) {}

  bool include(const char *place) {
    while (next_ < place) {
      if (*next_ == '"') { isInside_ = !isInside_; }
      next_ += isInside_ && *next_ == '\\' ? 2 : 1;
    }
    return isInside_;
  }

private:
  const char *next_;
  bool isInside_ = false;
};

/// A number without its sign, and what it consists of.
struct Number {
  const char *begin;
  const char *end;
  /// The exponent of ten of its first digit that is not zero.
  int64_t exponent = 0;
  bool isZero = true;
};

/// Reads a number that begins at `begin`.
///
/// Returns whether it is one in JSON's grammar, and has a point or an exponent.
bool read(const char *begin, const char *textEnd, Number &number) {
  const char *next = begin;
  auto skipDigits = [&](int64_t firstExponent, bool isFraction) {
    const char *first = next;
    while (next < textEnd && isDigit(*next)) { next++; }
    if (!number.isZero) { return next > first; }
    const char *significant = std::find_if(first, next, [](char digit) { return digit != '0'; });
    if (significant == next) { return next > first; }
    number.isZero = false;
    number.exponent = isFraction ? firstExponent - (significant - first) : next - significant - 1;
    return true;
  };
  number.begin = begin;
  if (!skipDigits(0, false) || (*begin == '0' && next > begin + 1)) { return false; }
  bool isInteger = true;
  if (next < textEnd && *next == '.') {
    next++;
    isInteger = false;
    if (!skipDigits(-1, true)) { return false; }
  }
  if (next < textEnd && (*next == 'e' || *next == 'E')) {
    next++;
    isInteger = false;
    bool isNegative = next < textEnd && *next == '-';
    if (next < textEnd && (*next == '-' || *next == '+')) { next++; }
    const char *first = next;
    int64_t exponent = 0;
    for (; next < textEnd && isDigit(*next); next++) { exponent = std::min<int64_t>(exponent * 10 + (*next - '0'), 1 << 30); }
    if (next == first) { return false; }
    number.exponent += isNegative ? -exponent : exponent;
  }
  number.end = next;
  return !isInteger;
}

/// Writes the shortest number that is the same double, or is out of range as well; returns its length, or 0.
size_t writeShortest(const Number &number, char *text, size_t capacity) {
  auto write = [&](std::string_view form) {
    std::copy(form.begin(), form.end(), text);
    return form.size();
  };
  if (number.isZero || number.exponent < kLeastExponent) { return write("0e0"); }
  if (number.exponent > kGreatestExponent) { return write("1e999"); }
  double value = 0;
  auto read = std::from_chars(number.begin, number.end, value);
  // Which of the two it is follows from the exponent, as the value is not set then.
  if (read.ec == std::errc::result_out_of_range) { return write(number.exponent > 0 ? "1e999" : "0e0"); }
  if (read.ec != std::errc() || read.ptr != number.end) { return 0; }
  auto written = std::to_chars(text, text + capacity, value);
  if (written.ec != std::errc()) { return 0; }
  // Without a point or an exponent it would be an integer.
  size_t length = size_t(written.ptr - text);
  if (std::string_view(text, length).find_first_of(".e") != std::string_view::npos) { return length; }
  if (length + 2 > capacity) { return 0; }
  return length + size_t(std::copy_n("e0", 2, written.ptr) - written.ptr);
}

} // namespace

const uint8_t *LongNumbers::shortened(const uint8_t *text, size_t length) {
  const char *source = reinterpret_cast<const char *>(text);
  Strings strings(source);
  bool isCopied = false;
  size_t begin = 0;
  while (begin + kLong <= length) {
    // Looking from the end of what has to be a significand skips most of a text.
    size_t other = begin + kLong;
    while (other > begin && isOfSignificand(source[other - 1])) { other--; }
    if (other > begin) {
      begin = other;
      continue;
    }
    size_t first = begin;
    begin += kLong;
    while (begin < length && isOfSignificand(source[begin])) { begin++; }
    Number number;
    if (strings.include(source + first) || !read(source + first, source + length, number)) { continue; }
    if (!isCopied) {
      copy_.assign(source, source + length);
      copy_.resize(length + simdjson::SIMDJSON_PADDING);
      isCopied = true;
    }
    size_t room = size_t(number.end - number.begin);
    char shortest[32];
    size_t count = writeShortest(number, shortest, std::min(room, sizeof shortest));
    if (count == 0) { continue; }
    std::memset(copy_.data() + first, ' ', room);
    std::memcpy(copy_.data() + first, shortest, count);
  }
  return isCopied ? reinterpret_cast<const uint8_t *>(copy_.data()) : text;
}

void LongNumbers::release() { std::vector<char>().swap(copy_); }

} // namespace csimdjson
