// A reply as the caller sees it.

import JSON

/// A reply that a `ClientConnection` hands over. Valid until the closure that got it returns.
public struct Reply {
  /// The call that it answers.
  public let token: ClientCallToken
  /// Whether more replies to this call follow.
  public let continues: Bool
  /// The error's whole name; nil when the reply is none.
  public let errorName: JSONText?
  /// The parameters, of the error if it is one; nil when there are none.
  public let parameterObject: JSONObject?

  /// The error, copied; nil when the reply is none.
  public var error: VarlinkError? {
    errorName.map { VarlinkError(name: $0.string, parameters: parameterObject?.value) }
  }

  /// A reader of the parameters. What it isn't asked for is passed over unless `finish` is called.
  ///
  /// - Throws: The error, when the reply is one.
  public func parameters() throws(VarlinkError) -> ParameterReader {
    if let error { throw error }
    return ParameterReader(parameterObject)
  }
}
