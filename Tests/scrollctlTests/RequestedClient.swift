// A client that carries out scroll requests, for tests against the real daemon.

import Foundation
import ScrollClient
import ScrollModel

/// A client that carries out requests for pages and refuses all others, on a thread of its own.
struct RequestedClient: Sendable {
  static let name = "live/requested"
  private static let session = SessionID(high: 1, low: 2)

  private let address: ServiceAddress

  init(_ address: ServiceAddress) { self.address = address }

  /// Opens the session.
  func open() throws {
    _ = try ServiceConnection(address).open(client: Self.name, session: Self.session)
  }

  /// Begins to carry out requests; returns when the daemon knows that it listens. It ends with the daemon.
  func listen() {
    let stands = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // A daemon that is gone is the end; one that refuses leaves a client that is away, which the test sees.
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
