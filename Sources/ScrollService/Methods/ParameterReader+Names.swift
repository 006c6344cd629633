import JSON
import ScrollModel
import Varlink

/// The maximum length of an application's name, a title or a reason, in bytes of UTF-8.
private let maximumTextLength = 4096

extension ParameterReader {
  /// Reads the parameter `session`.
  mutating func sessionID() throws(VarlinkError) -> SessionID {
    guard let id = SessionID(digits: try text("session").bytes) else { throw .invalidParameter("session") }
    return id
  }

  /// Reads the parameter `session`, which may be absent.
  mutating func optionalSessionID() throws(VarlinkError) -> SessionID? {
    guard let digits = try optionalText("session") else { return nil }
    guard let id = SessionID(digits: digits.bytes) else { throw .invalidParameter("session") }
    return id
  }

  /// Reads the parameter `user`, which may be absent.
  mutating func optionalUserID() throws(VarlinkError) -> UInt32? {
    guard let user = try optionalInt("user") else { return nil }
    guard let id = UInt32(exactly: user) else { throw .invalidParameter("user") }
    return id
  }

  /// Reads a text of limited length, which may be absent.
  mutating func optionalBoundedString(_ name: StaticString) throws(VarlinkError) -> String? {
    let text = try optionalString(name)
    if let text, text.utf8.count > maximumTextLength { throw .invalidParameter("\(name)") }
    return text
  }

  /// Reads a time in microseconds since the Unix epoch.
  mutating func time(_ name: StaticString) throws(VarlinkError) -> Int64 {
    let time = try int(name)
    guard (0...Event.latestTime).contains(time) else { throw .invalidParameter("\(name)") }
    return time
  }
}

extension Call {
  /// Checks that the call has no parameters.
  func requireNoParameters() throws(VarlinkError) { try parameters().finish() }
}
