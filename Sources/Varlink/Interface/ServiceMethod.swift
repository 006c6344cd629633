// A method that a service implements, as its handlers find it.

/// A method of one of a service's own interfaces.
public struct ServiceMethod: Sendable {
  /// Its place among `VarlinkService.methods`: handlers can stand in an array.
  public let index: Int
  /// The whole name, interface and member.
  public let name: String
  /// What the interface's text says of it.
  public let description: InterfaceDescription.Method
}
