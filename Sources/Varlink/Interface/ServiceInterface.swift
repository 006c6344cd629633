// The interface that every Varlink service has.

/// `org.varlink.service`, which every service answers.
enum ServiceInterface {
  static let name = "org.varlink.service"

  /// Every method, error and field is the specification's.
  static let text = """
    # What every Varlink service answers: who it is, and which interfaces it has.
    interface org.varlink.service

    # Who the service is, and the names of its interfaces.
    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    # The text of one of the interfaces.
    method GetInterfaceDescription(interface: string) -> (description: string)

    # The service has no such interface.
    error InterfaceNotFound (interface: string)

    # The interface has no such method.
    error MethodNotFound (method: string)

    # The interface has the method, but the service doesn't do it.
    error MethodNotImplemented (method: string)

    # A parameter is missing, is not known, or is of the wrong type or value.
    error InvalidParameter (parameter: string)

    # The caller may not do this.
    error PermissionDenied ()

    # The method answers more than once, and must be called so.
    error ExpectedMore ()

    """
}
