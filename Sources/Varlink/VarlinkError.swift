// An error reply: its name and its parameters.

import JSON

/// An error as it goes over the wire: a name, and parameters in JSON.
public struct VarlinkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The interface and the error's own name, `org.varlink.service.InvalidParameter`.
  public let name: String
  /// The parameters as one JSON object; empty when there are none.
  public let parameters: [UInt8]

  /// An error without parameters, by its whole name.
  public init(_ name: String) {
    self.name = name
    parameters = []
  }

  /// An error with the parameters that `members` writes, members of an object that is begun already.
  public init(_ name: String, _ members: (inout JSONWriter) -> Void) {
    self.name = name
    parameters = JSONWriter.encode {
      $0.beginObject()
      members(&$0)
      $0.endObject()
    }
  }

  /// The error of a reply.
  public init(name: String, parameters: JSONValue?) {
    self.name = name
    self.parameters = parameters.map { value in JSONWriter.encode { value.write(to: &$0) } } ?? []
  }

  /// The text for people: the name, and the parameters as JSON.
  public var description: String {
    parameters.isEmpty ? name : "\(name) \(String(decoding: parameters, as: UTF8.self))"
  }
}

// The errors of org.varlink.service, which every service may answer.
extension VarlinkError {
  /// The service has no such interface.
  public static func interfaceNotFound(_ interface: String) -> VarlinkError {
    VarlinkError("org.varlink.service.InterfaceNotFound") { $0.member("interface", interface) }
  }

  /// The interface has no such method; `method` is the whole name.
  public static func methodNotFound(_ method: String) -> VarlinkError {
    VarlinkError("org.varlink.service.MethodNotFound") { $0.member("method", method) }
  }

  /// The interface has the method, but the service doesn't do it; `method` is the whole name.
  public static func methodNotImplemented(_ method: String) -> VarlinkError {
    VarlinkError("org.varlink.service.MethodNotImplemented") { $0.member("method", method) }
  }

  /// The parameter of that name is missing, not known, or of the wrong type or value.
  public static func invalidParameter(_ parameter: String) -> VarlinkError {
    VarlinkError("org.varlink.service.InvalidParameter") { $0.member("parameter", parameter) }
  }

  /// The caller may not do this.
  public static let permissionDenied = VarlinkError("org.varlink.service.PermissionDenied")

  /// The method must be called with `more`.
  public static let expectedMore = VarlinkError("org.varlink.service.ExpectedMore")
}
