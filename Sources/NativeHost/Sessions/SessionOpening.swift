import ScrollModel

/// How a session is opened.
struct SessionOpening: Equatable {
  let session: SessionID
  let client: String
  let application: String?
  let title: String?
  let time: Int64?

  /// The first part of the client's name, which the names of the browser's other clients share.
  var prefix: String { String(client.prefix { $0 != "/" }) }
}
