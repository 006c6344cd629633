// A method call as the handler sees it.

import JSON

/// A call that a `ServerConnection` hands over. Valid until the handler returns; the token is what remains.
public struct Call {
  /// The name under which the call is answered, now or later.
  public let token: CallToken
  /// The whole method name, interface and member: `org.varlink.service.GetInfo`.
  public let method: JSONText
  /// The parameters; nil when they are absent, null or `{}`, which are the same.
  public let parameterObject: JSONObject?

  init(token: CallToken, method: JSONText, parameterObject: JSONObject?) {
    self.token = token
    self.method = method
    self.parameterObject = parameterObject.flatMap { $0.count == 0 ? nil : $0 }
  }

  /// Whether the call is never answered.
  public var isOneway: Bool { token.isOneway }
  /// Whether the caller takes more than one reply.
  public var wantsMore: Bool { token.wantsMore }

  /// The method's interface, all before the last dot; the whole name when there is none.
  public var interface: String {
    guard let dot = method.bytes.lastIndex(of: UInt8(ascii: ".")) else { return method.string }
    return String(decoding: method.bytes[..<dot], as: UTF8.self)
  }

  /// A reader of the parameters, which starts with nothing asked for.
  public func parameters() -> ParameterReader {
    ParameterReader(parameterObject)
  }

  /// Throws `org.varlink.service.ExpectedMore` when the caller takes one reply only: what streaming methods begin with.
  public func requireMore() throws(VarlinkError) {
    guard wantsMore else { throw .expectedMore }
  }
}
