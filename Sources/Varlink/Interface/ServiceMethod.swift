/// A method of an interface that a service implements, apart from `org.varlink.service`.
public struct ServiceMethod: Sendable {
  /// The index in `VarlinkService.methods`. Use it to look up a handler in an array.
  public let index: Int
  /// The full name.
  public let name: String
  /// The declaration in the interface.
  public let description: InterfaceDescription.Method
}
