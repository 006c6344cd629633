import JSON

/// How a browser's bytes break the rules of native messaging.
enum FrameError: Error, Equatable, CustomStringConvertible {
  case empty
  case tooLong(Int)
  case cutOff(received: Int)
  case notJSON(JSONError)

  /// Whether the frame is whole and only a text in it is wrong: not UTF-8, or with half a character.
  var isInText: Bool {
    if case .notJSON(let error) = self { error.reason == .invalidString || error.reason == .invalidUTF8 } else { false }
  }

  /// What was wrong, and what would be right.
  var description: String {
    switch self {
    case .empty: "a message of 0 bytes from the browser: a message is a JSON object"
    case .tooLong(let length):
      "a message of \(length) bytes from the browser: at most \(FrameReader.maximumLength) bytes are allowed"
    case .cutOff(let received): "the browser's last message is incomplete: it ends after \(received) bytes"
    case .notJSON(let error): "a message from the browser is not JSON: \(error)"
    }
  }
}
