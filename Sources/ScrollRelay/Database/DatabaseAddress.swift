/// Where the database is, and the password if a credential has it.
public struct DatabaseAddress: Equatable, Sendable {
  /// libpq's connection string or URI.
  public var connection: String
  /// The password; `nil` to leave it to the string, `$PGPASSWORD` or `.pgpass`.
  public var password: String?

  /// Creates an address.
  public init(_ connection: String, password: String? = nil) {
    self.connection = connection
    self.password = password
  }

  /// The parameters for libpq. Later ones override those of the string.
  var parameters: [(name: String, value: String)] {
    // These are defaults, since they come first. A server that is gone without a word would hold the relay for hours.
    var parameters = [
      (name: "keepalives_idle", value: "30"), (name: "tcp_user_timeout", value: "30000"),
      (name: "fallback_application_name", value: "scroll-relay"), (name: "dbname", value: connection),
    ]
    if let password { parameters.append((name: "password", value: password)) }
    parameters.append((name: "client_encoding", value: "UTF8"))
    return parameters
  }

  /// Calls a closure with the parameters as libpq takes them.
  func withParameters<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    Self.withPointers(parameters.map(\.name)) { names in
      Self.withPointers(parameters.map(\.value)) { values in body(names, values) }
    }
  }

  /// Calls a closure with texts as C strings, after which comes a null pointer.
  static func withPointers<Result>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    var bytes: [CChar] = []
    var offsets: [Int?] = []
    for text in texts {
      guard let text else {
        offsets.append(nil)
        continue
      }
      offsets.append(bytes.count)
      bytes.append(contentsOf: text.utf8.map { CChar(bitPattern: $0) })
      bytes.append(0)
    }
    let pointers = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 1)
    defer { pointers.deallocate() }
    pointers.initialize(repeating: nil, count: texts.count + 1)
    return bytes.withUnsafeBufferPointer { bytes in
      for (index, offset) in offsets.enumerated() {
        pointers[index] = offset.flatMap { bytes.baseAddress?.advanced(by: $0) }
      }
      return body(pointers)
    }
  }
}
