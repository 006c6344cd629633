// Subscribes and outlives connections.

import ScrollModel
import Varlink

/// Subscribes from one thread, and outlives connections.
///
///     let watcher = Watcher(SubscriptionQuery(), at: .standard())
///     while let news = watcher.next() {
///       if case .reply(let reply) = news, case .transition(let transition) = reply.content { draw(transition.state) }
///     }
public final class Watcher {
  private let watch: Watch
  private let address: ServiceAddress
  private var socket: ClientSocket?

  /// A watcher that connects when it is first used.
  ///
  /// - Parameters:
  ///   - query: What is watched, and perhaps from where on.
  ///   - address: Where the daemon listens.
  ///   - backoff: How long to wait between attempts to connect.
  public init(_ query: SubscriptionQuery, at address: ServiceAddress, backoff: Backoff = Backoff()) {
    watch = Watch(query, of: address, backoff: backoff, at: .now)
    self.address = address
  }

  /// The position that everything up to was told of; `nil` while there is none to go on from.
  public var position: Position? { watch.position }

  /// The generation that the position belongs to, once it is known. With both, a watcher of a later process goes on.
  public var generation: Int64? { watch.generation }

  /// Waits for the next thing to tell.
  ///
  /// - Parameter timeout: How long to wait; for ever when `nil`.
  /// - Returns: `nil` when the time is up.
  public func next(timeout: Duration? = nil) -> WatchNews? {
    let moment = timeout.map { ContinuousClock.now + $0 }
    while true {
      if let news = watch.next(at: .now) { return news }
      if let moment, moment <= .now { return nil }
      if let due = watch.connectDue {
        socket = nil
        if due <= .now { connect() } else { Pause.wait(until: moment.map { min($0, due) } ?? due) }
      } else {
        exchange(until: [moment, watch.silenceDue].compactMap { $0 }.min())
      }
    }
  }

  private func connect() {
    do {
      let socket = try ClientSocket(address.varlinkAddress)
      self.socket = socket
      watch.connected(socket.connection, at: .now)
    } catch {
      watch.lost(ServiceError(error, connectingTo: address), at: .now)
    }
  }

  private func exchange(until moment: ContinuousClock.Instant?) {
    guard let socket else { return }
    do throws(SocketError) {
      // What came before the end is told first.
      if socket.hasReceivedEnd { throw .closedByPeer(address: address.description) }
      try socket.exchange(until: moment)
    } catch {
      watch.lost(ServiceError(error, talkingTo: address), at: .now)
    }
  }
}
