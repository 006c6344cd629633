import JSON

/// A reply from a `ClientConnection`, valid until the closure that received it returns.
public struct Reply {
  /// The call that the reply answers.
  public let token: ClientCallToken
  /// Whether more replies to this call follow.
  public let continues: Bool
  /// The full name of the error; nil when the reply is not an error.
  public let errorName: JSONText?
  /// The parameters of the reply or the error; nil when they are absent.
  public let parameterObject: JSONObject?

  /// A copy of the error; nil when the reply is not an error.
  public var error: VarlinkError? {
    errorName.map { VarlinkError(name: $0.string, parameters: parameterObject?.value) }
  }

  /// Returns a reader of the parameters. It ignores parameters that you don't read, unless you call `finish`.
  ///
  /// - Throws: The error, when the reply is an error.
  public func parameters() throws(VarlinkError) -> ParameterReader {
    if let error { throw error }
    return ParameterReader(parameterObject)
  }
}
