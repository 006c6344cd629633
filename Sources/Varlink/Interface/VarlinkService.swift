import JSON

/// The identity and the interfaces of a service. It routes calls to methods.
///
///     let service = try VarlinkService(
///       vendor: "Example", product: "exampled", version: "1", url: "https://example.org",
///       interfaces: [InterfaceDescription(text)])
///
///     connection.nextCall(using: parser) { call throws(VarlinkError) in
///       guard let method = try service.route(call, on: connection) else { return .mayFollow }
///       return try handlers[method.index](call)
///     }
public struct VarlinkService: Sendable {
  /// The vendor, which `GetInfo` returns.
  public let vendor: String
  /// The name of the service, which `GetInfo` returns.
  public let product: String
  /// The version, which `GetInfo` returns.
  public let version: String
  /// The website of the service, which `GetInfo` returns.
  public let url: String
  /// All interfaces, beginning with `org.varlink.service`.
  public let interfaces: [InterfaceDescription]
  /// The methods of all interfaces except `org.varlink.service`, in the order of their declarations.
  public let methods: [ServiceMethod]

  /// Creates a service with the given interfaces and `org.varlink.service`.
  ///
  /// - Throws: `InterfaceSyntaxError` if this module's description of `org.varlink.service` is malformed, which its
  ///   tests rule out.
  public init(
    vendor: String, product: String, version: String, url: String, interfaces: [InterfaceDescription]
  ) throws(InterfaceSyntaxError) {
    self.vendor = vendor
    self.product = product
    self.version = version
    self.url = url
    self.interfaces = [try InterfaceDescription(ServiceInterface.text)] + interfaces
    var methods: [ServiceMethod] = []
    for interface in interfaces {
      for method in interface.methods {
        let name = "\(interface.name).\(method.name)"
        methods.append(ServiceMethod(index: methods.count, name: name, description: method))
      }
    }
    self.methods = methods
  }

  /// Returns the method with a full name, unless it belongs to `org.varlink.service`.
  public func method(named name: String) -> ServiceMethod? {
    methods.first { $0.name == name }
  }

  /// Returns the method that a call names. Calls of `org.varlink.service` are answered at once.
  ///
  /// - Returns: The method; nil when the call was answered.
  /// - Throws: `InterfaceNotFound` or `MethodNotFound`; `InvalidParameter` for calls of `org.varlink.service`.
  public func route(_ call: Call, on connection: ServerConnection) throws(VarlinkError) -> ServiceMethod? {
    for method in methods where call.method.equals(method.name) { return method }
    switch call.method {
    case "org.varlink.service.GetInfo":
      try call.parameters().finish()
      connection.reply(call.token, writeInfo)
    case "org.varlink.service.GetInterfaceDescription":
      var parameters = call.parameters()
      let name = try parameters.string("interface")
      try parameters.finish()
      guard let interface = interface(named: name) else { throw .interfaceNotFound(Self.cut(name.utf8) ?? name) }
      connection.reply(call.token) { $0.member("description", interface.text) }
    default:
      if let cut = Self.cut(call.method.bytes) { throw .methodNotFound(cut) }
      let name = call.interface
      throw interface(named: name) == nil ? .interfaceNotFound(name) : .methodNotFound(call.method.string)
    }
    return nil
  }

  /// How many bytes of an unknown name a reply repeats.
  private static let repeatedLength = 256

  /// Returns the beginning of a name that is too long for a reply; nil for other names.
  private static func cut(_ name: some Collection<UInt8>) -> String? {
    name.count > repeatedLength ? String(decoding: name.prefix(repeatedLength), as: UTF8.self) + "…" : nil
  }

  private func interface(named name: String) -> InterfaceDescription? {
    interfaces.first { $0.name == name }
  }

  private func writeInfo(_ writer: inout JSONWriter) {
    writer.member("vendor", vendor)
    writer.member("product", product)
    writer.member("version", version)
    writer.member("url", url)
    writer.member("interfaces", interfaces.map(\.name))
  }
}
