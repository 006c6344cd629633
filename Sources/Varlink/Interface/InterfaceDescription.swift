// An interface: its text, and what the text says.

/// An interface description: the text of a `.varlink` file, read.
public struct InterfaceDescription: Equatable, Sendable {
  /// `method GetInfo() -> (…)`
  public struct Method: Equatable, Sendable {
    /// The method's own name, without the interface: `GetInfo`.
    public let name: String
    /// What it is called with.
    public let parameters: [InterfaceField]
    /// What its replies carry.
    public let replyParameters: [InterfaceField]
  }

  /// `error MethodNotFound (method: string)`
  public struct ErrorDeclaration: Equatable, Sendable {
    /// The error's own name, without the interface.
    public let name: String
    /// What the error's reply carries.
    public let parameters: [InterfaceField]
  }

  /// `type Point (x: int, y: int)`
  public struct TypeDeclaration: Equatable, Sendable {
    /// The type's own name, without the interface.
    public let name: String
    /// A structure or an enumeration.
    public let type: InterfaceType
  }

  /// The interface's name: `org.varlink.service`.
  public let name: String
  /// The text that was read, unchanged.
  public let text: String
  /// In the order of the text.
  public let methods: [Method]
  /// In the order of the text.
  public let errors: [ErrorDeclaration]
  /// In the order of the text.
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

  /// The method of that name.
  public func method(_ name: String) -> Method? {
    methods.first { $0.name == name }
  }

  /// The error of that name.
  public func error(_ name: String) -> ErrorDeclaration? {
    errors.first { $0.name == name }
  }

  /// The type of that name.
  public func type(_ name: String) -> TypeDeclaration? {
    types.first { $0.name == name }
  }
}
