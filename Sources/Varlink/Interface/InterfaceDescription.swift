/// An interface description: the parsed text of a `.varlink` file.
public struct InterfaceDescription: Equatable, Sendable {
  /// `method GetInfo() -> (…)`
  public struct Method: Equatable, Sendable {
    /// The name without the interface: `GetInfo`.
    public let name: String
    /// The parameters of a call.
    public let parameters: [InterfaceField]
    /// The parameters of a reply.
    public let replyParameters: [InterfaceField]
  }

  /// `error MethodNotFound (method: string)`
  public struct ErrorDeclaration: Equatable, Sendable {
    /// The name without the interface.
    public let name: String
    /// The parameters of the error.
    public let parameters: [InterfaceField]
  }

  /// `type Point (x: int, y: int)`
  public struct TypeDeclaration: Equatable, Sendable {
    /// The name without the interface.
    public let name: String
    /// A structure or an enumeration.
    public let type: InterfaceType
  }

  /// The interface's name: `org.varlink.service`.
  public let name: String
  /// The unchanged text.
  public let text: String
  /// The methods, in the order of the text.
  public let methods: [Method]
  /// The errors, in the order of the text.
  public let errors: [ErrorDeclaration]
  /// The types, in the order of the text.
  public let types: [TypeDeclaration]

  /// Parses an interface description.
  ///
  /// - Throws: `InterfaceSyntaxError`, also for a name that is declared twice or a type that is not declared.
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

  /// Returns the method with a name.
  public func method(_ name: String) -> Method? {
    methods.first { $0.name == name }
  }

  /// Returns the error with a name.
  public func error(_ name: String) -> ErrorDeclaration? {
    errors.first { $0.name == name }
  }

  /// Returns the type with a name.
  public func type(_ name: String) -> TypeDeclaration? {
    types.first { $0.name == name }
  }
}
