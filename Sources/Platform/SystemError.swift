/// A failed system call: the operation, its object, and the error.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The operation as a verb, such as `open`.
  public var operation: String
  /// The path or other object of the operation; may be empty.
  public var object: String
  /// Why it failed.
  public var errno: Errno

  /// A failure of an operation without an object.
  public init(_ operation: String, _ errno: Errno) { self.init(operation, "", errno) }

  /// A failure of an operation on an object.
  public init(_ operation: String, _ object: String, _ errno: Errno) {
    self.operation = operation
    self.object = object
    self.errno = errno
  }

  /// Adds the operation and its object to the error that `body` throws.
  public static func wrapping<Result: ~Copyable>(
    _ operation: String, _ object: String = "", _ body: () throws(Errno) -> Result
  ) throws(SystemError) -> Result {
    do { return try body() } catch { throw SystemError(operation, object, error) }
  }

  /// The text for people: `cannot open /x: Permission denied`.
  public var description: String {
    object.isEmpty ? "\(operation): \(errno)" : "cannot \(operation) \(object): \(errno)"
  }
}
