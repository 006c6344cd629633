import Varlink

/// The interfaces that the daemon serves.
enum ServiceInterfaces {
  static let version = "0.1.0"

  /// The interface descriptions.
  static let texts = [
    String(decoding: PackageResources.org_scrolld_Recorder_varlink, as: UTF8.self),
    String(decoding: PackageResources.org_scrolld_Observer_varlink, as: UTF8.self),
    String(decoding: PackageResources.org_scrolld_Manager_varlink, as: UTF8.self),
    String(decoding: PackageResources.org_scrolld_Relay_varlink, as: UTF8.self),
  ]

  /// Creates the Varlink service of the interfaces.
  ///
  /// - Throws: `InterfaceSyntaxError` when a description is malformed, which the tests rule out.
  static func makeService() throws -> VarlinkService {
    try VarlinkService(
      vendor: "scrolld", product: "scrolld", version: version, url: "https://scrolld.invalid/",
      interfaces: texts.map { try InterfaceDescription($0) })
  }
}
