// Who a service is, which interfaces it has, and where its calls go.

import JSON

/// What a service says of itself, and the way from a call to the method that it means.
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
  /// Who makes the service, as `GetInfo` tells it.
  public let vendor: String
  /// What the service is called, as `GetInfo` tells it.
  public let product: String
  /// The service's version, as `GetInfo` tells it.
  public let version: String
  /// Where to read about the service, as `GetInfo` tells it.
  public let url: String
  /// All interfaces, `org.varlink.service` first.
  public let interfaces: [InterfaceDescription]
  /// The methods of all interfaces but `org.varlink.service`, in their order.
  public let methods: [ServiceMethod]

  /// A service with interfaces of its own, to which `org.varlink.service` is added.
  ///
  /// - Throws: `InterfaceSyntaxError`, were the text of `org.varlink.service` itself wrong, which is the module's own.
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

  /// A method by its whole name, of an interface of the service's own.
  public func method(named name: String) -> ServiceMethod? {
    methods.first { $0.name == name }
  }

  /// Finds the method that a call means, and answers calls to `org.varlink.service` right away.
  ///
  /// - Returns: The method; nil when the call has been answered.
  /// - Throws: `InterfaceNotFound` or `MethodNotFound`; `InvalidParameter` for calls to `org.varlink.service`.
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
      guard let interface = interface(named: name) else { throw .interfaceNotFound(name) }
      connection.reply(call.token) { $0.member("description", interface.text) }
    default:
      let name = call.interface
      throw interface(named: name) == nil ? .interfaceNotFound(name) : .methodNotFound(call.method.string)
    }
    return nil
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
