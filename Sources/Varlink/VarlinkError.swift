import JSON

/// An error reply: a name, and parameters as JSON.
public struct VarlinkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The full name of the error: `org.varlink.service.InvalidParameter`.
  public let name: String
  /// The parameters as one JSON object; empty for an error without parameters.
  public let parameters: [UInt8]

  /// Creates an error without parameters.
  ///
  /// - Parameter name: The full name.
  public init(_ name: String) {
    self.name = name
    parameters = []
  }

  /// Creates an error with parameters.
  ///
  /// - Parameters:
  ///   - name: The full name.
  ///   - members: Writes the parameters as members of an object that has already begun.
  public init(_ name: String, _ members: (inout JSONWriter) -> Void) {
    self.name = name
    parameters = JSONWriter.encode {
      $0.beginObject()
      members(&$0)
      $0.endObject()
    }
  }

  /// Creates the error of a reply.
  public init(name: String, parameters: JSONValue?) {
    self.name = name
    self.parameters = parameters.map { value in JSONWriter.encode { value.write(to: &$0) } } ?? []
  }

  /// A text for logs: the name, and the parameters as JSON.
  public var description: String {
    parameters.isEmpty ? name : "\(name) \(String(decoding: parameters, as: UTF8.self))"
  }
}

// The errors of org.varlink.service, which any service may return.
extension VarlinkError {
  /// Returns the error for an interface that the service does not have.
  public static func interfaceNotFound(_ interface: String) -> VarlinkError {
    VarlinkError("org.varlink.service.InterfaceNotFound") { $0.member("interface", interface) }
  }

  /// Returns the error for a method that the interface does not have.
  ///
  /// - Parameter method: The full name.
  public static func methodNotFound(_ method: String) -> VarlinkError {
    VarlinkError("org.varlink.service.MethodNotFound") { $0.member("method", method) }
  }

  /// Returns the error for a method that the interface has, but the service does not implement.
  ///
  /// - Parameter method: The full name.
  public static func methodNotImplemented(_ method: String) -> VarlinkError {
    VarlinkError("org.varlink.service.MethodNotImplemented") { $0.member("method", method) }
  }

  /// Returns the error for a parameter that is missing or unknown, or has the wrong type or an invalid value.
  public static func invalidParameter(_ parameter: String) -> VarlinkError {
    VarlinkError("org.varlink.service.InvalidParameter") { $0.member("parameter", parameter) }
  }

  /// The caller lacks permission.
  public static let permissionDenied = VarlinkError("org.varlink.service.PermissionDenied")

  /// The method was called without `more`, which it requires.
  public static let expectedMore = VarlinkError("org.varlink.service.ExpectedMore")
}
