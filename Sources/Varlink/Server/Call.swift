import JSON

/// A call from a `ServerConnection`, valid until the handler returns. Only the token may be kept.
public struct Call {
  /// The identity of the call, for replying now or later.
  public let token: CallToken
  /// The full name of the method: `org.varlink.service.GetInfo`.
  public let method: JSONText
  /// The parameters; nil when they are absent, null or `{}`, which mean the same.
  public let parameterObject: JSONObject?

  init(token: CallToken, method: JSONText, parameterObject: JSONObject?) {
    self.token = token
    self.method = method
    self.parameterObject = parameterObject.flatMap { $0.count == 0 ? nil : $0 }
  }

  /// Whether the call gets no reply.
  public var isOneway: Bool { token.isOneway }
  /// Whether the caller accepts more than one reply.
  public var wantsMore: Bool { token.wantsMore }

  /// The interface of the method: everything before the last dot, or the whole name if it has no dot.
  public var interface: String {
    guard let dot = method.bytes.lastIndex(of: UInt8(ascii: ".")) else { return method.string }
    return String(decoding: method.bytes[..<dot], as: UTF8.self)
  }

  /// Returns a new reader of the parameters.
  public func parameters() -> ParameterReader {
    ParameterReader(parameterObject)
  }

  /// Throws `org.varlink.service.ExpectedMore` unless the caller accepts more than one reply. Streaming methods call it
  /// first.
  public func requireMore() throws(VarlinkError) {
    guard wantsMore else { throw .expectedMore }
  }
}
