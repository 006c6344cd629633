import Foundation
import ScrollClient
import ScrollModel

/// A client for tests with a real daemon. It carries out requests for pages and refuses others, on a thread of its own.
struct RequestedClient: Sendable {
  static let name = "live/requested"
  private static let session = SessionID(high: 1, low: 2)

  private let address: ServiceAddress

  init(_ address: ServiceAddress) { self.address = address }

  /// Opens the session.
  func open() throws {
    _ = try ServiceConnection(address).open(client: Self.name, session: Self.session)
  }

  /// Starts to carry out requests, until the daemon ends. Returns when the daemon knows that the client listens.
  func listen() {
    let stands = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // Ignored: the daemon is gone at the end, and a refusal leaves the client away, which the test notices.
      try? carryOut { stands.signal() }
      stands.signal()
    }
    stands.wait()
  }

  private func carryOut(_ begun: () -> Void) throws {
    let requests = try ServiceConnection(address).requests(of: Self.session)
    let feeder = try ServiceConnection(address)
    begun()
    for request in requests {
      let request = try request.get()
      if case .page = request.target {
        try feeder.respond(to: request.request, of: Self.session, done: true)
      } else {
        try feeder.respond(to: request.request, of: Self.session, done: false, reason: "not now")
      }
    }
  }
}
