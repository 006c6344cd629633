// The interfaces that the daemon serves, and their methods.

import Varlink

/// The interfaces that the daemon serves.
enum ServiceInterfaces {
  static let version = "0.1.0"

  /// The texts that describe the interfaces.
  static let texts = [
    String(decoding: PackageResources.org_scrolld_Recorder_varlink, as: UTF8.self),
    String(decoding: PackageResources.org_scrolld_Observer_varlink, as: UTF8.self),
    String(decoding: PackageResources.org_scrolld_Manager_varlink, as: UTF8.self),
  ]

  /// The service, ready to route calls.
  ///
  /// - Throws: `InterfaceSyntaxError` when a text is none, which the tests rule out.
  static func makeService() throws -> VarlinkService {
    try VarlinkService(
      vendor: "scrolld", product: "scrolld", version: version, url: "https://scrolld.invalid/",
      interfaces: texts.map { try InterfaceDescription($0) })
  }
}
