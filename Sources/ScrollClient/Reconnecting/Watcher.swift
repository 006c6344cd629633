import Platform
import ScrollModel
internal import Varlink

/// Subscribes from one thread, across lost connections. A watcher is a sequence that never ends.
///
///     for update in Watcher(SubscriptionQuery(), at: .standard()) {
///       if case .reply(let reply) = update, case .transition(let transition) = reply.content { draw(transition.state) }
///     }
public final class Watcher: Sequence {
  /// Takes a watcher's updates one by one.
  public struct Iterator: IteratorProtocol {
    fileprivate let watcher: Watcher

    /// Waits for the next update. It never returns `nil`.
    public mutating func next() -> WatchUpdate? { watcher.next(until: nil) }
  }

  private let watch: Watch
  private let address: ServiceAddress
  private var socket: ClientSocket?

  /// Creates a watcher, which connects when it is first used.
  ///
  /// - Parameters:
  ///   - query: What to watch, and optionally the position to continue from.
  ///   - address: The daemon's address.
  ///   - backoff: The waits between attempts to connect.
  public init(_ query: SubscriptionQuery, at address: ServiceAddress, backoff: Backoff = Backoff()) {
    watch = Watch(query, of: address, backoff: backoff, at: .now)
    self.address = address
  }

  /// The position that the updates have reached; `nil` while the watcher has none to continue from.
  public var position: Position? { watch.position }

  /// The log's generation, to which the position belongs, once it is known. With both, another process can continue.
  public var generation: Int64? { watch.generation }

  /// Returns an iterator over the updates that nobody has taken yet.
  public func makeIterator() -> Iterator { Iterator(watcher: self) }

  /// Waits for the next update.
  ///
  /// - Parameter timeout: How long to wait; not at all when zero.
  /// - Returns: ``NextElement/timedOut`` when nothing happened in time; never ``NextElement/ended``.
  public func next(timeout: Duration) -> NextElement<WatchUpdate> {
    next(until: .now + timeout).map { .element($0) } ?? .timedOut
  }

  private func next(until moment: ContinuousClock.Instant?) -> WatchUpdate? {
    while true {
      if let update = watch.nextUpdate(at: .now) { return update }
      if let moment, moment <= .now { return nil }
      if let due = watch.connectDue {
        socket = nil
        if due <= .now { connect() } else { Platform.sleep(until: moment.map { Swift.min($0, due) } ?? due) }
      } else {
        exchange(until: [moment, watch.silenceDue].compactMap { $0 }.min())
      }
    }
  }

  private func connect() {
    do {
      let socket = try ClientSocket(address.varlinkAddress)
      self.socket = socket
      watch.beginConnection(socket.connection, at: .now)
    } catch {
      watch.loseConnection(ServiceError(error, connectingTo: address), at: .now)
    }
  }

  private func exchange(until moment: ContinuousClock.Instant?) {
    guard let socket else { return }
    do throws(SocketError) {
      // Report what arrived before the end first.
      if socket.hasReceivedEnd { throw .closedByPeer(address: address.description) }
      try socket.exchange(until: moment)
    } catch {
      watch.loseConnection(ServiceError(error, talkingTo: address), at: .now)
    }
  }
}
