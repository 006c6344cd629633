// An interface: its text, and what the text says.

/// An interface description: the text of a `.varlink` file, read.
public struct InterfaceDescription: Equatable, Sendable {
  public struct Method: Equatable, Sendable {
    /// The method's own name, without the interface: `GetInfo`.
    public let name: String
    public let parameters: [InterfaceField]
    public let replyParameters: [InterfaceField]
  }

  public struct ErrorDeclaration: Equatable, Sendable {
    /// The error's own name, without the interface.
    public let name: String
    public let parameters: [InterfaceField]
  }

  public struct TypeDeclaration: Equatable, Sendable {
    public let name: String
    /// A structure or an enumeration.
    public let type: InterfaceType
  }

  /// The interface's name: `org.varlink.service`.
  public let name: String
  /// The text that was read, unchanged.
  public let text: String
  /// In the order of the text, like the others.
  public let methods: [Method]
  public let errors: [ErrorDeclaration]
  public let types: [TypeDeclaration]

  /// Reads an interface text.
  ///
  /// - Throws: `InterfaceSyntaxError` also for a name declared twice, and for a type that is used and not declared.
  public init(_ text: String) throws(InterfaceSyntaxError) {
    var parser = InterfaceParser(text)
    self = try parser.interface()
  }

  init(name: String, text: String, methods: [Method], errors: [ErrorDeclaration], types: [TypeDeclaration]) {
    self.name = name
    self.text = text
    self.methods = methods
    self.errors = errors
    self.types = types
  }

  public func method(_ name: String) -> Method? {
    methods.first { $0.name == name }
  }

  public func error(_ name: String) -> ErrorDeclaration? {
    errors.first { $0.name == name }
  }

  public func type(_ name: String) -> TypeDeclaration? {
    types.first { $0.name == name }
  }
}
