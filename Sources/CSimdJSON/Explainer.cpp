// How the slow reader walks a text.

#include "Explainer.h"

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
  case simdjson::UNESCAPED_CHARS:
  case simdjson::UNCLOSED_STRING: return CSimdJSONErrorInvalidString;
  case simdjson::NUMBER_ERROR: return CSimdJSONErrorInvalidNumber;
  case simdjson::UTF8_ERROR: return CSimdJSONErrorInvalidUTF8;
  case simdjson::EMPTY: return CSimdJSONErrorEmpty;
  case simdjson::TRAILING_CONTENT: return CSimdJSONErrorTrailingContent;
  default: return CSimdJSONErrorSyntax;
  }
}

namespace {

/// Whether `token` is one JSON number with at most white space behind it.
bool isNumber(std::string_view token) {
  size_t i = 0;
  auto skip = [&](std::string_view any) {
    if (i >= token.size() || any.find(token[i]) == std::string_view::npos) { return false; }
    i++;
    return true;
  };
  auto skipDigits = [&] {
    size_t first = i;
    while (skip("0123456789")) {}
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
  text_ = reinterpret_cast<const char *>(text);
  length_ = length;
  nodes_ = &nodes;
  nodes.setCount(0);
  keyOffsets_.clear();
  member_ = {};
  offset_ = -1;
  sawNumberOutOfRange_ = false;

  error_code begun =
      parser_.iterate(simdjson::padded_string_view(text_, length, length + CSIMDJSON_PADDING)).get(document_);
  // A first pass over the whole text failed, which keeps no place.
  if (begun) { return {translated(begun), -1, {}, false}; }
  CSimdJSONError error = readRoot();
  if (error != CSimdJSONErrorNone && offset_ < 0) {
    const char *place;
    bool isAtEnd = document_.current_location().get(place) != simdjson::SUCCESS;
    offset_ = isAtEnd ? int64_t(length) : place - text_;
  }
  return {error, offset_, member_, sawNumberOutOfRange_};
}

CSimdJSONError Explainer::readRoot() {
  ondemand::json_type type;
  if (error_code error = document_.type().get(type)) { return translated(error); }
  CSimdJSONError error;
  if (type == ondemand::json_type::object || type == ondemand::json_type::array) {
    ondemand::value value;
    if (error_code wrong = document_.get_value().get(value)) { return translated(wrong); }
    error = readValue(value, 0);
  } else {
    error = readScalar(document_, type);
  }
  if (error != CSimdJSONErrorNone) { return error; }
  const char *next;
  if (document_.current_location().get(next)) { return CSimdJSONErrorNone; }
  // A number out of range is left unread, so at the root the reader stands on it still.
  bool isUnread = type == ondemand::json_type::number && sawNumberOutOfRange_;
  if (isUnread && isNumber(std::string_view(next, length_ - size_t(next - text_)))) { return CSimdJSONErrorNone; }
  return CSimdJSONErrorTrailingContent;
}

CSimdJSONError Explainer::readValue(ondemand::value value, int depth) {
  ondemand::json_type type;
  if (error_code error = value.type().get(type)) { return translated(error); }
  switch (type) {
  case ondemand::json_type::object:
    return depth < CSIMDJSON_MAXIMUM_DEPTH ? readObject(value, depth + 1) : CSimdJSONErrorTooDeep;
  case ondemand::json_type::array:
    return depth < CSIMDJSON_MAXIMUM_DEPTH ? readArray(value, depth + 1) : CSimdJSONErrorTooDeep;
  default: return readScalar(value, type);
  }
}

CSimdJSONError Explainer::readObject(ondemand::value value, int depth) {
  ondemand::object object;
  if (error_code error = value.get_object().get(object)) { return translated(error); }
  size_t index = nodes_->append(CSimdJSONKindObject);
  uint32_t length = 0;
  for (auto result : object) {
    ondemand::field field;
    if (error_code error = std::move(result).get(field)) { return translated(error); }
    // The raw key begins behind its opening quote.
    const char *place = field.key().raw() - 1;
    std::string_view name;
    if (error_code error = field.unescaped_key().get(name)) {
      offset_ = place - text_;
      return translated(error);
    }
    size_t key = nodes_->append(CSimdJSONKindKey);
    (*nodes_)[key].length = uint32_t(name.size());
    (*nodes_)[key].string = reinterpret_cast<const uint8_t *>(name.data());
    keyOffsets_.resize(key + 1);
    keyOffsets_[key] = uint32_t(place - text_);

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

CSimdJSONError Explainer::readArray(ondemand::value value, int depth) {
  ondemand::array array;
  if (error_code error = value.get_array().get(array)) { return translated(error); }
  size_t index = nodes_->append(CSimdJSONKindArray);
  uint32_t length = 0;
  for (auto result : array) {
    ondemand::value element;
    if (error_code error = std::move(result).get(element)) { return translated(error); }
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
    // The reader stands on the number still, and passes over it by itself.
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
