#include "Explainer.h"

#include <new>

namespace csimdjson {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

CSimdJSONError translated(error_code error) {
  switch (error) {
  case simdjson::SUCCESS: return CSimdJSONErrorNone;
  case simdjson::CAPACITY: return CSimdJSONErrorTooLong;
  case simdjson::MEMALLOC: return CSimdJSONErrorNoMemory;
  case simdjson::DEPTH_ERROR: return CSimdJSONErrorTooDeep;
  case simdjson::STRING_ERROR:
  case simdjson::UNESCAPED_CHARS: return CSimdJSONErrorInvalidString;
  case simdjson::UNCLOSED_STRING:
  case simdjson::INCOMPLETE_ARRAY_OR_OBJECT: return CSimdJSONErrorUnterminated;
  case simdjson::NUMBER_ERROR: return CSimdJSONErrorInvalidNumber;
  case simdjson::UTF8_ERROR: return CSimdJSONErrorInvalidUTF8;
  case simdjson::EMPTY: return CSimdJSONErrorEmpty;
  case simdjson::TRAILING_CONTENT: return CSimdJSONErrorTrailingContent;
  default: return CSimdJSONErrorSyntax;
  }
}

namespace {

/// Returns whether `token` is one JSON number, with or without white space after it.
bool isNumber(std::string_view token) {
  size_t i = 0;
  auto skip = [&](std::string_view any) {
    if (i >= token.size() || any.find(token[i]) == std::string_view::npos) { return false; }
    i++;
    return true;
  };
  // A number may be as long as a message.
  auto skipDigits = [&] {
    size_t first = i;
    while (i < token.size() && token[i] >= '0' && token[i] <= '9') { i++; }
    return i > first;
  };
  skip("-");
  if (!skip("0") && !skipDigits()) { return false; }
  if (skip(".") && !skipDigits()) { return false; }
  if (skip("eE")) {
    skip("+-");
    if (!skipDigits()) { return false; }
  }
  return token.find_first_not_of(" \t\r\n", i) == std::string_view::npos;
}

} // namespace

Explainer::Outcome Explainer::read(const uint8_t *text, size_t length, NodeArray &nodes) {
  text_ = simdjson::padded_string(reinterpret_cast<const char *>(text), length);
  if (text_.size() != length) { throw std::bad_alloc(); }
  nodes_ = &nodes;
  nodes.setCount(0);
  keyOffsets_.clear();
  member_ = {};
  offset_ = -1;
  sawNumberOutOfRange_ = false;

  // The first pass over the text reports no offsets.
  if (error_code wrong = parser_.iterate(text_).get(document_)) {
    CSimdJSONError error = translated(wrong);
    return {error, error == CSimdJSONErrorUnterminated ? int64_t(length) : -1, {}, false};
  }
  CSimdJSONError error = readRoot();
  if (error == CSimdJSONErrorUnterminated) { offset_ = int64_t(length); }
  if (error != CSimdJSONErrorNone && offset_ < 0) { offset_ = currentOffset(); }
  return {error, offset_, member_, sawNumberOutOfRange_};
}

/// Returns the reader's offset, at most the end of the text.
int64_t Explainer::currentOffset() {
  const char *place;
  if (document_.current_location().get(place)) { return int64_t(text_.size()); }
  bool isInside = place >= text_.data() && place <= text_.data() + text_.size();
  return isInside ? offset(place) : int64_t(text_.size());
}

CSimdJSONError Explainer::readRoot() {
  ondemand::json_type type;
  if (error_code error = document_.type().get(type)) { return translated(error); }
  CSimdJSONError error;
  // The document itself checks that an object or an array ends with its bracket, so it is taken from there.
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (error_code wrong = document_.get_object().get(object)) { return translated(wrong); }
    error = readObject(object, 1);
  } else if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (error_code wrong = document_.get_array().get(array)) { return translated(wrong); }
    error = readArray(array, 1);
  } else {
    error = readScalar(document_, type);
  }
  return error == CSimdJSONErrorNone ? readEnd(type) : error;
}

/// Checks that nothing follows the root, whose type is `type`.
CSimdJSONError Explainer::readEnd(ondemand::json_type type) {
  const char *next;
  if (document_.current_location().get(next)) { return CSimdJSONErrorNone; }
  // The reader does not move past a number out of range, so at the root it still points to the number.
  bool isUnread = type == ondemand::json_type::number && sawNumberOutOfRange_;
  if (isUnread && isNumber(std::string_view(next, text_.size() - size_t(offset(next))))) { return CSimdJSONErrorNone; }
  return CSimdJSONErrorTrailingContent;
}

CSimdJSONError Explainer::readValue(ondemand::value value, int depth) {
  ondemand::json_type type;
  if (error_code error = value.type().get(type)) { return translated(error); }
  bool isContainer = type == ondemand::json_type::object || type == ondemand::json_type::array;
  if (isContainer && depth >= CSIMDJSON_MAXIMUM_DEPTH) { return CSimdJSONErrorTooDeep; }
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (error_code error = value.get_object().get(object)) { return translated(error); }
    return readObject(object, depth + 1);
  }
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (error_code error = value.get_array().get(array)) { return translated(error); }
    return readArray(array, depth + 1);
  }
  return readScalar(value, type);
}

CSimdJSONError Explainer::readObject(ondemand::object object, int depth) {
  size_t index = nodes_->append(CSimdJSONKindObject);
  uint32_t length = 0;
  for (auto result : object) {
    ondemand::field field;
    if (error_code error = std::move(result).get(field)) { return translated(error); }
    if (length == CSIMDJSON_MAXIMUM_MEMBERS) { return CSimdJSONErrorTooManyMembers; }
    // The raw key begins after its opening quote.
    int64_t keyOffset = offset(field.key().raw()) - 1;
    std::string_view name;
    if (error_code error = field.unescaped_key().get(name)) {
      offset_ = keyOffset;
      return translated(error);
    }
    if (name.size() > CSIMDJSON_MAXIMUM_NAME) {
      offset_ = keyOffset;
      return CSimdJSONErrorNameTooLong;
    }
    size_t key = nodes_->append(CSimdJSONKindKey);
    (*nodes_)[key].length = uint32_t(name.size());
    (*nodes_)[key].string = reinterpret_cast<const uint8_t *>(name.data());
    keyOffsets_.resize(key + 1);
    keyOffsets_[key] = uint32_t(keyOffset);

    std::string_view outer = member_;
    member_ = name;
    CSimdJSONError error = readValue(field.value(), depth);
    if (error != CSimdJSONErrorNone) { return error; }
    member_ = outer;
    length++;
  }
  CSimdJSONNode &node = (*nodes_)[index];
  node.length = length;
  node.span = nodes_->count() - index;
  if (const CSimdJSONNode *key = nodes_->repeatedKey(node)) {
    member_ = text(*key);
    offset_ = keyOffsets_[nodes_->index(key)];
    return CSimdJSONErrorDuplicateMember;
  }
  return CSimdJSONErrorNone;
}

CSimdJSONError Explainer::readArray(ondemand::array array, int depth) {
  size_t index = nodes_->append(CSimdJSONKindArray);
  uint32_t length = 0;
  for (auto result : array) {
    ondemand::value element;
    if (error_code error = std::move(result).get(element)) { return translated(error); }
    if (length == CSIMDJSON_MAXIMUM_ELEMENTS) { return CSimdJSONErrorTooManyElements; }
    CSimdJSONError error = readValue(element, depth);
    if (error != CSimdJSONErrorNone) { return error; }
    length++;
  }
  CSimdJSONNode &node = (*nodes_)[index];
  node.length = length;
  node.span = nodes_->count() - index;
  return CSimdJSONErrorNone;
}

template <typename Scalar> CSimdJSONError Explainer::readScalar(Scalar &scalar, ondemand::json_type type) {
  switch (type) {
  case ondemand::json_type::string: {
    std::string_view string;
    if (error_code error = scalar.get_string().get(string)) { return translated(error); }
    CSimdJSONNode &node = (*nodes_)[nodes_->append(CSimdJSONKindString)];
    node.length = uint32_t(string.size());
    node.string = reinterpret_cast<const uint8_t *>(string.data());
    return CSimdJSONErrorNone;
  }
  case ondemand::json_type::number: return readNumber(scalar);
  case ondemand::json_type::boolean: {
    bool isTrue;
    if (error_code error = scalar.get_bool().get(isTrue)) { return translated(error); }
    nodes_->append(isTrue ? CSimdJSONKindTrue : CSimdJSONKindFalse);
    return CSimdJSONErrorNone;
  }
  case ondemand::json_type::null: {
    bool isNull;
    if (error_code error = scalar.is_null().get(isNull)) { return translated(error); }
    if (!isNull) { return CSimdJSONErrorSyntax; }
    nodes_->append(CSimdJSONKindNull);
    return CSimdJSONErrorNone;
  }
  default: return CSimdJSONErrorSyntax;
  }
}

template <typename Scalar> CSimdJSONError Explainer::readNumber(Scalar &scalar) {
  ondemand::number number;
  if (scalar.get_number().get(number)) {
    std::string_view token;
    simdjson::simdjson_result<std::string_view> raw = scalar.raw_json_token();
    if (std::move(raw).get(token) || !isNumber(token)) { return CSimdJSONErrorInvalidNumber; }
    sawNumberOutOfRange_ = true;
    nodes_->append(CSimdJSONKindNumberOutOfRange);
    // The reader still points to the number, and skips it by itself.
    return CSimdJSONErrorNone;
  }
  if (number.is_int64()) {
    (*nodes_)[nodes_->append(CSimdJSONKindInteger)].integer = number.get_int64();
  } else if (number.is_uint64()) {
    (*nodes_)[nodes_->append(CSimdJSONKindUnsignedInteger)].unsignedInteger = number.get_uint64();
  } else {
    (*nodes_)[nodes_->append(CSimdJSONKindDouble)].number = number.get_double();
  }
  return CSimdJSONErrorNone;
}

} // namespace csimdjson
