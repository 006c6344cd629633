/// The interface `org.varlink.service`, which every service implements.
enum ServiceInterface {
  static let name = "org.varlink.service"

  /// The description, with the methods, errors and fields of the specification.
  static let text = """
    # The standard interface of every Varlink service.
    interface org.varlink.service

    # Returns information about the service and the names of its interfaces.
    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    # Returns the description of an interface.
    method GetInterfaceDescription(interface: string) -> (description: string)

    # The service has no such interface.
    error InterfaceNotFound (interface: string)

    # The interface has no such method.
    error MethodNotFound (method: string)

    # The interface has the method, but the service doesn't implement it.
    error MethodNotImplemented (method: string)

    # A parameter is missing or unknown, or has the wrong type or an invalid value.
    error InvalidParameter (parameter: string)

    # The caller lacks permission.
    error PermissionDenied ()

    # The method replies more than once and must be called with `more`.
    error ExpectedMore ()

    """
}
