import CSystemd
import Platform

/// Notifies the service manager of the daemon's state, by sd_notify(3). Without a service manager it does nothing.
///
/// Reports of the status and feeds of the watchdog follow each other every few seconds, so they are dropped while the service manager
/// does not read: the loop must not wait for it.
public struct Notifier: Sendable {
  /// How much more time a start requests with each report of its progress, in microseconds.
  private static let startExtension: Int64 = 60_000_000

  /// The timeout of the service manager's watchdog, in microseconds; `nil` without a watchdog (sd_watchdog_enabled(3)).
  package let watchdogInterval: UInt64?

  /// Where the service manager receives messages; `nil` without one, or where sd_notify(3) alone knows the kind of the address.
  private let address: UnixAddress?

  /// Creates a notifier for the service manager that started the process.
  public init() { self.init(socket: CurrentProcess.variable("NOTIFY_SOCKET")) }

  /// Creates a notifier.
  ///
  /// - Parameter socket: The service manager's address, as in `NOTIFY_SOCKET`.
  init(socket: String?) {
    address =
      switch socket?.first {
      case "/": socket.map { .path($0) }
      case "@": socket.map { .abstract(String($0.dropFirst())) }
      default: nil
      }
    var interval: UInt64 = 0
    watchdogInterval = sd_watchdog_enabled(0, &interval) > 0 && interval > 1 ? interval : nil
  }

  /// Reports that the start takes longer, because of a recovery that has read and written a number of bytes.
  func recovering(bytes: Int64) {
    send("EXTEND_TIMEOUT_USEC=\(Self.startExtension)\nSTATUS=Recovering the log, \(bytes >> 20) MiB read and written.")
  }

  /// Reports that the daemon is ready to serve clients.
  public func ready(status: String) { send("READY=1\nSTATUS=\(status)") }

  /// Reports the daemon's state in one line.
  public func status(_ text: String) { offer("STATUS=\(text)") }

  /// Feeds the watchdog.
  package func alive() { offer("WATCHDOG=1") }

  /// Reports that a reload begins. ``ready(status:)`` ends it.
  public func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicMicroseconds())")
  }

  /// Reports that the daemon is shutting down.
  public func stopping(status: String = "Syncing the log.") { send("STOPPING=1\nSTATUS=\(status)") }

  /// Sends a message unless the service manager has too many that it did not read.
  private func offer(_ state: String) {
    guard let address else { return send(state) }
    var state = state
    // The next message reports the same, or something newer.
    _ = try? state.withUTF8 { text throws(Errno) in
      let socket = try FileDescriptor(socket: .datagram, isNonBlocking: true)
      try socket.borrowed.connect(to: address)
      _ = try socket.borrowed.send(UnsafeRawBufferPointer(text))
    }
  }

  private func send(_ state: String) {
    // If no service manager listens, nothing can be done.
    _ = sd_notify(0, state)
  }
}
